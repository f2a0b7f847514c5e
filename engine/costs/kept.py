"""Cost curves and width noise on disk: one small JSON file for what they depend on.

That is the model files (by path, size and date), the device, threads, cache types and the build. A
file that is missing, damaged or of another version is as good as none. Writing is atomic, and a
disk that takes nothing is no error: all is measured again then. Old files go when new ones come.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.costs.curves import Measurement
from engine.costs.noise_search import Search
from engine.sampling.width_noise import REACHES
from engine.system.whole_file import UNFINISHED, write_whole

VERSION = 6
MOST_FILES = 64
"""How many are kept, the newest."""
ABANDONED_S = 60.0
"""Nobody writes a file for so long."""


class _File(msgspec.Struct, frozen=True):
    version: int
    target_s: dict[int, float]
    draft_s: dict[int, float]
    noise: float
    settles: int
    returning_s: float
    seen: dict[int, int]
    search: Search


class Kept(NamedTuple):
    """What is kept of one pair."""

    costs: Measurement
    search: Search


class KeptCosts:
    """The file of one pair on one machine; folder None: nothing is kept."""

    def __init__(self, folder: str | None, models: Iterable[str], facts: Iterable[object]) -> None:
        self._path: Path | None = None
        if folder is not None:
            about = [*(_identity(path) for path in models), *(str(fact) for fact in facts)]
            digest = hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]
            self._path = Path(folder) / f"{digest}.json"

    def read(self) -> Kept | None:
        """Return what is kept, None if there is nothing that can be used."""
        if self._path is None:
            return None
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=_File)
        except (OSError, ValueError, RecursionError):
            return None
        seconds = [*found.target_s.values(), *found.draft_s.values()]
        if found.version != VERSION or 1 not in found.target_s or min(seconds) <= 0.0:
            return None
        if len(found.search.noise.largest) != len(REACHES):
            return None
        if found.settles < 1 or found.returning_s < 0.0 or min(found.seen.values(), default=1) < 1:
            return None
        costs = Measurement(
            found.target_s,
            found.draft_s,
            found.noise,
            found.settles,
            found.returning_s,
            found.seen,
        )
        return Kept(costs, found.search)

    def write(self, kept: Kept) -> bool:
        """Keep this; False if the disk takes nothing."""
        if self._path is None:
            return False
        costs = kept.costs
        content = _File(
            VERSION,
            dict(costs.target_s),
            dict(costs.draft_s),
            costs.noise,
            costs.settles,
            costs.returning_s,
            dict(costs.seen),
            kept.search,
        )
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path, msgspec.json.encode(content))
        except OSError:
            return False
        _remove_old(self._path.parent)
        return True


def _remove_old(folder: Path) -> None:
    """Remove all but the newest files, since nobody asks for those of models that are gone, and
    those whose writer was killed.
    """
    with suppress(OSError):
        newest = sorted(folder.glob("*.json"), key=_written_s, reverse=True)
        unfinished = folder.glob(f".*{UNFINISHED}")
        abandoned = [file for file in unfinished if time.time() - _written_s(file) > ABANDONED_S]
        for old in [*newest[MOST_FILES:], *abandoned]:
            old.unlink()


def _written_s(file: Path) -> float:
    """Return when it was written, in seconds since 1970."""
    return file.stat().st_mtime


def _identity(path: str) -> str:
    """Return what tells a model's file from another."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return f"{os.path.realpath(path)} {found.st_size} {found.st_mtime_ns}"
