"""The flags that `chat` and `ask` share, under the names that llama.cpp's users know.

A flag that is not given is None, so that the environment and the settings file can answer for it;
config.py joins them. Standard library only: this is imported for `--help`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

DRAFTERS = Path(__file__).parent.parent / "engine" / "drafters"
VERIFY_MODES = ("coupled",)
CACHE_TYPES = ("f16", "q8_0")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags for models, drafting, sampling and the machine."""
    models = parser.add_argument_group("models")
    models.add_argument("--model", metavar="F.gguf", help="the target, by path")
    models.add_argument("--model-draft", metavar="F.gguf", help="its draft model, by path")

    drafting = parser.add_argument_group("drafting")
    drafting.add_argument(
        "--drafter",
        choices=drafter_names(),
        type=lambda name: name.replace("-", "_"),
        metavar="NAME",
        help=f"{', '.join(drafter_names())} (default: auto)",
    )
    drafting.add_argument(
        "--draft-tokens", type=_auto_or_int, metavar="auto|N", help="draft length (default: auto)"
    )
    drafting.add_argument("--verify", choices=VERIFY_MODES, help="how drafts are verified")

    sampling = parser.add_argument_group("sampling")
    sampling.add_argument("--temp", type=float, metavar="T", help="temperature; 0 is greedy")
    sampling.add_argument("--top-k", type=int, metavar="K", help="keep the K likeliest; 0: all")
    sampling.add_argument("--top-p", type=float, metavar="P", help="keep this much probability")
    sampling.add_argument("--min-p", type=float, metavar="P", help="drop under P times the best")
    sampling.add_argument("--repeat-penalty", type=float, metavar="R", help="1.0 is none")
    sampling.add_argument("--seed", type=int, metavar="N", help="the same seed, the same answer")
    sampling.add_argument("--predict", type=int, metavar="N", help="at most N tokens per answer")

    machine = parser.add_argument_group("machine")
    machine.add_argument("--ctx-size", type=int, metavar="N", help="context length in tokens")
    machine.add_argument("--threads", type=int, metavar="N", help="CPU threads")
    machine.add_argument(
        "--gpu-layers", type=_auto_or_int, metavar="N|auto", help="layers on the GPU"
    )
    machine.add_argument("--cache-type", choices=CACHE_TYPES, help="type of the KV cache")
    machine.add_argument(
        "--offline", action="store_true", default=None, help="open no network connection"
    )
    parser.add_argument("--system", metavar="TEXT", help="the system prompt")


def drafter_names() -> list[str]:
    """Return the drafters' names, which are their files'; importing them would be slow."""
    return sorted(file.stem for file in DRAFTERS.glob("[a-z]*.py"))


def _auto_or_int(text: str) -> str | int:
    """Parse "auto" or a count."""
    if text == "auto" or text.isdecimal():
        return text if text == "auto" else int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is neither auto nor a count")
