"""The flags that `chat`, `ask`, `bench` and `verify` share, named as llama.cpp's are.

A flag that is not given is None, so that the environment and the settings file can answer for it;
config.py joins them. Standard library only: this is imported for `--help`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import Any

from app.completers import pair_names, persona_names
from app.settings.values import (
    CACHE_TYPES,
    DEFAULT_VERIFY,
    MOST_CTX,
    SAMPLED,
    drafter_names,
    verifier_names,
)

MOST_DIGITS = 18


class _Group:
    """A group of flags that takes all but some, which are named as the settings are."""

    def __init__(self, group: argparse._ArgumentGroup, without: Collection[str]) -> None:
        self._group = group
        self._without = without

    def add_argument(self, *flags: str, **options: Any) -> None:
        """Declare a flag as argparse does. The first of its names is that of the setting, and the
        one that `--help` and errors have; the others are llama.cpp's, too, for fingers used to it.
        """
        name, *others = flags
        if name.removeprefix("--").replace("-", "_") not in self._without:
            action = self._group.add_argument(name, **options)
            self._group._option_string_actions.update(dict.fromkeys(others, action))


def add_model_arguments(
    parser: argparse.ArgumentParser, without: Collection[str] = (), defaults: str = ""
) -> None:
    """Add the flags for models, drafting, sampling and the machine.

    without: settings that this command chooses itself; defaults: of the sampling, in words, if they
    are the command's own.
    """

    def group(title: str, about: str | None = None) -> _Group:
        return _Group(parser.add_argument_group(title, about), without)

    _add_models(group("models"))
    _add_drafting(group("drafting"))
    _add_sampling(group("sampling", defaults or _defaults(without)))
    _add_machine(group("machine"))
    words = parser.add_argument_group("words")
    if "system" not in without:
        words.add_argument("--system", metavar="TEXT", help="the system prompt")
    persona = words.add_argument(
        "--persona", metavar="NAME", help="a system prompt by name, with its sampling"
    )
    persona.completer = persona_names  # type: ignore[attr-defined]


def _defaults(without: Collection[str]) -> str:
    found = (
        f"{name.replace('_', '-')} {value:g}"
        for name, value in SAMPLED.items()
        if name not in without
    )
    return f"defaults, where neither the pair nor the persona has its own: {', '.join(found)}"


def add_think_argument(parser: argparse.ArgumentParser) -> None:
    """Add the switch of models that think before they answer."""
    parser.add_argument(
        "--think",
        action=argparse.BooleanOptionalAction,
        help="let the model think first, or not, if its chat template has a switch for that",
    )


def add_pair_argument(
    parser: argparse.ArgumentParser, default: str = "demo", otherwise: str = ""
) -> None:
    """Add the pair that a command works with. otherwise: what else may stand in its place."""
    pair = parser.add_argument(
        "pair", nargs="?", metavar="PAIR", help=f"a pair's name (default: {default}){otherwise}"
    )
    pair.completer = pair_names  # type: ignore[attr-defined]
    parser.set_defaults(positional=("pair",))


def add_model_names(
    parser: argparse.ArgumentParser,
    nargs: str | None = None,
    what: str = "a pair, or OWNER/REPO:FILE.gguf",
    completer: Callable[..., list[str]] = pair_names,
) -> None:
    """Add the names of the models that a command is about. what: they may be."""
    names = parser.add_argument("names", nargs=nargs, metavar="NAME", help=what)
    names.completer = completer  # type: ignore[attr-defined]


def add_context_argument(parser: argparse.ArgumentParser) -> None:
    """Add the context that a model is held against this machine with."""
    context = parser.add_argument(
        "--ctx-size", type=_context, metavar="N", help="the context it shall fit with"
    )
    parser._option_string_actions["-c"] = context


def add_network_arguments(parser: argparse.ArgumentParser | _Group) -> None:
    """Add the switch that keeps everything on this machine."""
    parser.add_argument(
        "--offline", action="store_true", default=None, help="open no network connection"
    )


def _add_models(models: _Group) -> None:
    models.add_argument("--model", "-m", metavar="F.gguf", help="the target, by path")
    models.add_argument("--model-draft", "-md", metavar="F.gguf", help="its draft model, by path")
    models.add_argument(
        "--mmproj",
        metavar="F.gguf|none",
        help="the projector that lets it see pictures, by path; none: see none (default: the "
        "pair's, or the one beside --model)",
    )


def _add_drafting(drafting: _Group) -> None:
    drafting.add_argument(
        "--drafter",
        choices=drafter_names(),
        type=lambda name: name.replace("-", "_"),
        metavar="NAME",
        help=f"what guesses ahead: {', '.join(drafter_names())} (default: auto)",
    )
    drafting.add_argument(
        "--draft-tokens", type=_auto_or_int, metavar="auto|N", help="draft length (default: auto)"
    )
    drafting.add_argument(
        "--verify",
        choices=verifier_names(),
        help="how guesses are tested; coupled: a seed gives the same answer with any drafter "
        f"(default: {DEFAULT_VERIFY})",
    )
    drafting.add_argument(
        "--memory",
        action=argparse.BooleanOptionalAction,
        help="keep answers on this machine, to draft from later (default: --memory)",
    )


def _add_sampling(sampling: _Group) -> None:
    sampling.add_argument(
        "--temp",
        "--temperature",
        type=float,
        metavar="T",
        help="temperature; 0 always takes the likeliest word",
    )
    sampling.add_argument("--top-k", type=int, metavar="K", help="keep the K likeliest; 0: all")
    sampling.add_argument(
        "--typical-p",
        "--typical",
        type=float,
        metavar="P",
        help="keep this much probability, the most typical first; 1.0: all",
    )
    sampling.add_argument("--top-p", type=float, metavar="P", help="keep this much probability")
    sampling.add_argument("--min-p", type=float, metavar="P", help="drop under P times the best")
    sampling.add_argument("--repeat-penalty", type=float, metavar="R", help="1.0 is none")
    sampling.add_argument(
        "--presence-penalty",
        type=float,
        metavar="R",
        help="take R off the logits of tokens said before; 0.0 is none",
    )
    sampling.add_argument(
        "--frequency-penalty",
        type=float,
        metavar="R",
        help="take R off a token's logit for each time it was said; 0.0 is none",
    )
    sampling.add_argument(
        "--repeat-last-n",
        type=int,
        metavar="N",
        help="tokens that the penalties look back over; 0: none, -1: all",
    )
    sampling.add_argument(
        "--logit-bias",
        action="append",
        metavar="TOKEN+BIAS|TOKEN-BIAS",
        help="add to the logit of the token with this id, e.g. 15043+1; repeatable",
    )
    sampling.add_argument(
        "--seed", "-s", type=int, metavar="N", help="the same seed, the same answer"
    )
    sampling.add_argument(
        "--predict", "-n", "--n-predict", type=int, metavar="N", help="at most N tokens per answer"
    )


def _add_machine(machine: _Group) -> None:
    machine.add_argument(
        "--ctx-size",
        "-c",
        type=int,
        metavar="N",
        help=f"context length in tokens (default: the pair's, or the model's up to {MOST_CTX})",
    )
    machine.add_argument(
        "--threads",
        "-t",
        type=int,
        metavar="N",
        help="CPU threads (default: the fast cores; in the chat a small model leaves one free)",
    )
    machine.add_argument(
        "--gpu-layers",
        "-ngl",
        "--n-gpu-layers",
        type=_auto_or_int,
        metavar="N|auto",
        help="layers on the GPU; auto: as many as fit (default: auto)",
    )
    machine.add_argument(
        "--cache-type",
        choices=CACHE_TYPES,
        help="type of the KV cache; q8_0 halves the memory of the context (default: f16)",
    )
    machine.add_argument(
        "--batch-invariant",
        action=argparse.BooleanOptionalAction,
        help="the same words with any drafter, at near-ties too: kernels that are slower, and the "
        "processor's alone",
    )
    machine.add_argument(
        "--threads-draft", type=int, metavar="N", help="the draft model's (default: the target's)"
    )
    machine.add_argument(
        "--gpu-layers-draft",
        type=_auto_or_int,
        metavar="N|auto",
        help="the draft model's (default: the target's)",
    )
    machine.add_argument(
        "--cache-type-draft",
        choices=CACHE_TYPES,
        help="the draft model's (default: the target's)",
    )
    machine.add_argument(
        "--force", action="store_true", default=None, help="load what does not fit, too"
    )
    add_network_arguments(machine)


def _context(text: str) -> int:
    """Parse a context's length, as settings take one."""
    from engine import MIN_CTX

    if text.isdecimal() and len(text) <= MOST_DIGITS and MIN_CTX <= int(text) < 2**31:
        return int(text)
    most = 2**31 - 1
    raise argparse.ArgumentTypeError(f"should be from {MIN_CTX} to {most} tokens, found {text!r}")


def _auto_or_int(text: str) -> str | int:
    """Parse "auto" or a count."""
    if text == "auto":
        return text
    if text.isdecimal() and len(text) <= MOST_DIGITS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is neither auto nor a count")
