"""Projectors: the files that let a target see pictures, known by their names (`mmproj`).

A projector takes its file's bytes, and to read one picture, of which the engine has at most 1024
cells made at a time, about half as many again: by the widest place of the graphs of the catalogue's
ones (patches * (3 F + 4 E) floats), a third to a half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from app.models.store import ANY_GGUF
from app.paths import Paths
from app.terminal.sanitise import one_line
from engine import PairSettings

MARK = "mmproj"
NONE = "none"
"""What --mmproj is given for no projector."""
BEST = ("q8_0", "f16", "bf16", "f32")
"""How projectors of one repository are told apart, the one to have first."""
HOW_WRITTEN = re.compile(
    r"(?<![a-z0-9])((ud-|i1-)?i?q\d(_[a-z0-9]+)*|tq\d_\d|bf16|fp?16|fp?32|mxfp4(_moe)?"
    r"|\d{5}-of-\d{5}|gguf)(?![a-z0-9])"
)
"""What a file's name says of how its model is quantised and split."""


def is_projector(file: str) -> bool:
    """Whether a file is one, by its name."""
    return MARK in PurePosixPath(file).name.lower()


def beside(target: Path) -> Path | None:
    """Return the projector in a target's folder, or in that of its repository in the store.

    Where other models lie there as well, it must be called as the target is.
    """
    if is_projector(target.name):
        return None
    own = _words(target.name)
    for folder in _folders(target):
        try:
            names = [path.name for path in folder.glob(ANY_GGUF)]
        except OSError:
            return None
        found = {name: _words(name) for name in names if is_projector(name)}
        named = {name: len(words) for name, words in found.items() if words and words <= own}
        closest = [name for name, n in named.items() if n == max(named.values())]
        is_alone = all(_words(name) == own for name in names if name not in found)
        chosen = best(closest or (list(found) if is_alone else []))
        if chosen is not None:
            return folder / chosen
    return None


def best(files: Sequence[str]) -> str | None:
    """Return the projector to have of those among a repository's files, None without any."""
    found = sorted(filter(is_projector, files))
    for kind in BEST:
        for file in found:
            name = PurePosixPath(file).name.lower()
            if re.search(rf"(?<![a-z0-9]){kind}(?![a-z0-9])", name):
                return file
    return found[0] if found else None


def sight_bytes(size: int | None) -> int:
    """Return the memory that a projector takes. size: of its file, None if unknown."""
    return (size or 0) * 3 // 2


def noted_sight(name: str, pair: PairSettings, sees: bool, lacks: str = "") -> list[str]:
    """Return a line for who opens files by path: the projector may have been found beside them.
    name: a pair's, which names its own; lacks: that, where it is not here.
    """
    if lacks:
        return [
            f"{one_line(lacks)} is not here, so this model takes text only; `slipstream pull "
            f"{one_line(name)}` downloads it."
        ]
    if name or not sees or pair.mmproj is None:
        return []
    file = one_line(Path(pair.mmproj).name)
    return [f"This model takes pictures, by {file}; --mmproj none leaves that out."]


def _folders(target: Path) -> list[Path]:
    """Return where a target's projector may lie, the nearest first."""
    store = Paths().models_dir
    is_stored = target.is_relative_to(store)
    depth = len(target.relative_to(store).parts) - len(("owner", "name")) if is_stored else 1
    return list(target.parents[: max(depth, 1)])


def _words(file: str) -> frozenset[str]:
    """Return the words of a file's name that say which model it is, or is for."""
    name = HOW_WRITTEN.sub(" ", file.lower().replace(MARK, " "))
    return frozenset(re.findall("[a-z0-9]+", name))
