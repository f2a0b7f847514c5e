"""The lab pair: a small pair at the cost of a larger one, with the same words (inflate.py).

    python -m tests.lab.pairs [--folder F] [--scale 1b|7b|small]
    python -m tests.lab.pairs --source MODEL [--folder F]

The first inflates the embedded pair. The second takes any small Llama model, whose draft is that
model itself at four bits: what real text does to drafts shows only where a real model wrote it.

Contract: a file appears whole or not at all, and a second call makes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from gguf import LlamaFileType
from platformdirs import user_cache_path

from tests.lab.inflate import BLOCK_VALUES, FACTS, Source, blurred, forgetful, inflate, quantise
from tests.lab.scales import BLURRED, SCALES, widened
from tests.pair import DRAFT, TARGET

RECIPE = 2  # raise it when the files come out differently
BLUR, REAL_BLUR = 0.3, 0.1
"""Noise in the blurred drafts' matrices, of their own standard deviation: of the embedded pair's,
and of a real model's, which bears less.
"""
QUANTS = ("q8_0", "q4_k_m")
NAMES = ("target-q8_0", "target-q4_k_m", "draft", "draft-random", "draft-blurred")


@dataclass(frozen=True, slots=True)
class LabPair:
    """The files; draft_random: the draft with noise for weights, which guesses nothing;
    draft_blurred: with noise added to them, so that it is wrong as often as real ones are, and at
    the cost of a real one.
    """

    target_q8_0: Path
    target_q4_k_m: Path
    draft: Path
    draft_random: Path
    draft_blurred: Path

    def target(self, quant: str) -> Path:
        """Return the target of one of QUANTS."""
        return {"q8_0": self.target_q8_0, "q4_k_m": self.target_q4_k_m}[quant]


def lab_pair(folder: Path | None = None, scale: str = "1b") -> LabPair:
    """Return the embedded pair at a scale; make it if `folder` (the user's cache) has none."""
    size, size_blurred = SCALES[scale], BLURRED[scale]

    def make(files: LabPair) -> None:
        target, draft = Source.read(TARGET), Source.read(DRAFT)
        wider = replace(draft.size, width=draft.size.width + BLOCK_VALUES, vocab=size.vocab)
        inflate(files.target_q8_0, "Slipstream lab target", target, size)
        inflate(files.draft, "Slipstream lab draft", draft, wider)
        inflate(files.draft_random, "Slipstream lab random draft", forgetful(draft), wider)
        inflate(
            files.draft_blurred,
            "Slipstream lab blurred draft",
            blurred(draft, BLUR),
            size_blurred,
        )
        quantise(files.target_q8_0, files.target_q4_k_m, LlamaFileType.MOSTLY_Q4_K_M)

    facts = (RECIPE, size, size_blurred, *FACTS, BLUR)
    return _kept(folder, scale, _key(facts, (TARGET, DRAFT)), make)


def real_pair(source: Path, folder: Path | None = None) -> LabPair:
    """Return a pair made of a small Llama model of any quantisation, as `lab_pair` does.

    Its drafts are not inflated, and have four bits. Raises AssertionError for another architecture.
    """

    def make(files: LabPair) -> None:
        base = files.draft.with_name("base.gguf")
        quantise(source, base, LlamaFileType.MOSTLY_Q8_0)
        model = Source.read(base)
        inflate(files.target_q8_0, "Slipstream lab target", model, widened(model.size))
        quantise(files.target_q8_0, files.target_q4_k_m, LlamaFileType.MOSTLY_Q4_K_M)
        quantise(base, files.draft, LlamaFileType.MOSTLY_Q4_0)
        wider = replace(model.size, width=model.size.width + BLOCK_VALUES)
        spoilt = {
            files.draft_random: forgetful(model),
            files.draft_blurred: blurred(model, REAL_BLUR),
        }
        for path, draft in spoilt.items():
            full = path.with_name("full.gguf")
            inflate(full, "Slipstream lab spoilt draft", draft, wider)
            quantise(full, path, LlamaFileType.MOSTLY_Q4_0)
            full.unlink()
        base.unlink()

    facts = (RECIPE, *FACTS, REAL_BLUR)
    return _kept(folder, source.stem, _key(facts, (source,)), make)


def _key(facts: Sequence[object], sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(repr(facts).encode())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _kept(folder: Path | None, name: str, key: str, make: Callable[[LabPair], None]) -> LabPair:
    """Return the files of a name and key, making them if they are not there."""
    home = (folder or user_cache_path("slipstream") / "lab") / f"{name}-{key}"
    made = LabPair(*(home / f"lab-{part}.gguf" for part in NAMES))
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent, prefix=f"{name}-making-") as scratch:
            fresh = [Path(scratch) / "pair" / path.name for path in astuple(made)]
            fresh[0].parent.mkdir()
            make(LabPair(*fresh))
            if not home.is_dir():  # another run was not first
                fresh[0].parent.rename(home)
    return made


def main() -> None:
    """Make the pair that the command line names, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep it here, not in the user's cache")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scale", choices=sorted(SCALES), default="1b")
    what.add_argument("--source", type=Path, help="a small Llama model, not the embedded pair")
    chosen = parser.parse_args()
    if chosen.source:
        if not chosen.source.is_file():
            parser.error(f"there is no file {chosen.source}")
        made = real_pair(chosen.source, chosen.folder)
    else:
        made = lab_pair(chosen.folder, chosen.scale)
    for path in astuple(made):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
