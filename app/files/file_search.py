"""Files by a part of their name, in the folders below one: what a mention may mean where nothing in
its own folder begins as it is typed.

It is done anew with every key, so it ends after so many entries or so much time, the folders that
are near first. Hidden folders and those that tools make are not entered, nor is what .gitignore
names plainly, unless all is wanted; links to folders are not followed, and so nothing goes round in
a circle.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from app.files.mentions import is_so, is_writable

MOST_ENTRIES = 5_000
MOST_S = 0.25
"""On a busy machine most of it is spent waiting for a turn."""
FEWEST_LETTERS = 2
SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
MOST_IGNORING = 100_000
"""Characters of .gitignore that are read."""


def below(
    typed: str,
    base: Path,
    limit: int = 50,
    clock: Callable[[], float] = time.monotonic,
    shows_all: bool = False,
) -> list[str]:
    """Return the paths of files below whose names hold what is typed behind the last slash.

    Names that begin so come first, then the nearer ones. One letter finds nothing.
    """
    folder, slash, part = typed.rpartition("/")
    if len(part) < FEWEST_LETTERS:
        return []
    wanted = part.casefold()
    found = [
        (not name.startswith(wanted), path.count("/"), path)
        for path in _files(folder + slash, base, clock, shows_all)
        if wanted in (name := path.rpartition("/")[2].casefold())
    ]
    return [path for *_, path in sorted(found)[:limit]]


def begins(path: str, typed: str) -> bool:
    """Whether a path's name begins as what is typed behind the last slash, if anything is."""
    name, part = path.rstrip("/").rpartition("/")[2], typed.rpartition("/")[2]
    return bool(part) and name.casefold().startswith(part.casefold())


def _files(start: str, base: Path, clock: Callable[[], float], shows_all: bool) -> Iterator[str]:
    """Yield the files below, the nearer ones first, until a limit is reached."""
    end, n_seen = clock() + MOST_S, 0
    passed_over = SKIPPED | ignored(base)
    waiting = deque([start])
    while waiting:
        folder = waiting.popleft()
        for entry in _entries(os.path.join(base, os.path.expanduser(folder))):
            n_seen += 1
            if n_seen > MOST_ENTRIES or clock() > end:
                return
            name, path = entry.name, folder + entry.name
            is_quiet = name.startswith(".") or not passed_over.isdisjoint((name, f"/{path}"))
            if (is_quiet and not shows_all) or not is_writable(name):
                continue
            if is_so(partial(entry.is_dir, follow_symlinks=False)):
                waiting.append(path + "/")
            elif is_so(entry.is_file):
                yield path


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (OSError, ValueError):
        return


def ignored(base: Path) -> set[str]:
    """Return what .gitignore names without any pattern: names, or paths that begin with a slash."""
    try:
        with (base / ".gitignore").open(encoding="utf-8", errors="replace") as file:
            lines = file.read(MOST_IGNORING).splitlines()
    except (OSError, ValueError):
        return set()
    plain = (line.strip().rstrip("/") for line in lines if not set(line) & set("*?[!#\\"))
    return {f"/{line.lstrip('/')}" if "/" in line else line for line in plain if line}
