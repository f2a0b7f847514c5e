"""Projectors: the files that let a target see pictures, known by their names (`mmproj`).

A projector takes its file's bytes, and to read one picture about half as many again: by the widest
place of the graphs of the catalogue's ones (patches * (3 F + 4 E) floats), a seventh to a half.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from app.sanitise import one_line
from engine import PairSettings

MARK = "mmproj"
NONE = "none"
"""What --mmproj is given for no projector."""
BEST = ("q8_0", "f16", "bf16", "f32")
"""How projectors of one repository are told apart, the one to have first."""


def is_projector(file: str) -> bool:
    """Whether a file is one, by its name."""
    return MARK in PurePosixPath(file).name.lower()


def beside(target: Path) -> Path | None:
    """Return the projector in a target's folder, None where there is none, or more than one."""
    try:
        files = [path for path in target.parent.glob("*.gguf") if is_projector(path.name)]
    except OSError:
        return None
    return files[0] if len(files) == 1 and not is_projector(target.name) else None


def best(files: Sequence[str]) -> str | None:
    """Return the projector to have of those among a repository's files, None without any."""
    found = sorted(filter(is_projector, files))
    for kind in BEST:
        for file in found:
            if kind in file.lower():
                return file
    return found[0] if found else None


def sight_bytes(size: int | None) -> int:
    """Return the memory that a projector takes. size: of its file, None if unknown."""
    return (size or 0) * 3 // 2


def noted_sight(name: str, pair: PairSettings, sees: bool) -> list[str]:
    """Return a line for who opens files by path: the projector may have been found beside them.
    name: a pair's, which names its own.
    """
    if name or not sees or pair.mmproj is None:
        return []
    file = one_line(Path(pair.mmproj).name)
    return [f"This model takes pictures, by {file}; --mmproj none leaves that out."]
