"""What is in a folder, for who picks files from it: folders first, and why a file cannot go along.

Reading one may take long: call `look` in a thread. Names are as they are: a screen sanitises them.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Set
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from app.errors import reason
from app.files.attachable import why_not
from app.files.file_search import SKIPPED, ignored
from app.files.mentions import is_so, is_writable, short_path
from app.files.pictures import HEAD_BYTES

MOST_SCANNED = 100_000
MOST_SHOWN = 1_000
UNWRITABLE = "cannot be named in a message, for the signs in its path: give it another name."


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder. path: the whole one. why_not: why it cannot be attached, "" if it can.
    is_quiet: it is shown only where all is wanted.
    """

    path: str
    name: str
    is_folder: bool = False
    size_bytes: int = 0
    why_not: str = ""
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """n_more: how many are there beside the entries; is_cut: and that is not all. trouble: why it
    cannot be read, or "".
    """

    entries: tuple[Entry, ...] = ()
    n_more: int = 0
    is_cut: bool = False
    trouble: str = ""


def look(path: str, root: str, base: Path, shows_all: bool) -> Folder:
    """Return what is in a folder. root: where the .gitignore is that counts; base: where relative
    files of a message are; shows_all: what is hidden, made by tools or ignored, too.
    """
    within = f"/{os.path.relpath(path, root).replace(os.sep, '/')}/".replace("/./", "/")
    passed_over = SKIPPED | ignored(Path(root))
    found: list[tuple[bool, str, str, bool, os.DirEntry[str]]] = []
    try:
        with os.scandir(path) as entries:
            for entry in islice(entries, MOST_SCANNED):
                is_quiet, name = _is_quiet(entry.name, within, passed_over), entry.name
                if shows_all or not is_quiet:
                    found.append((not is_so(entry.is_dir), name.casefold(), name, is_quiet, entry))
            is_cut = next(entries, None) is not None
    except (OSError, ValueError) as error:
        return Folder(trouble=f"{os.path.basename(path) or path} cannot be read: {reason(error)}.")
    found.sort(key=operator.itemgetter(0, 1, 2))
    rows = tuple(_entry(each, base, is_quiet) for *_, is_quiet, each in found[:MOST_SHOWN])
    return Folder(rows, len(found) - len(rows), is_cut)


def file_at(path: str, base: Path) -> Entry:
    """Return a file by its path, as `look` would list it."""
    name = os.path.basename(path)
    try:
        size_bytes = os.stat(path).st_size
    except OSError as error:
        return Entry(path, name, why_not=f"{name} cannot be read: {reason(error)}.")
    return _file(path, base, name, size_bytes)


def _is_quiet(name: str, within: str, passed_over: Set[str]) -> bool:
    return name.startswith(".") or not passed_over.isdisjoint((name, within + name))


def _entry(found: os.DirEntry[str], base: Path, is_quiet: bool) -> Entry:
    if is_so(found.is_dir):
        return Entry(found.path, found.name, is_folder=True, is_quiet=is_quiet)
    try:
        is_file, size_bytes = found.is_file(), found.stat().st_size
    except OSError as error:  # a link that leads nowhere
        why = f"{found.name} cannot be read: {reason(error)}."
        return Entry(found.path, found.name, why_not=why, is_quiet=is_quiet)
    if not is_file:
        why = f"{found.name} is a device or a pipe: only files can be attached."
        return Entry(found.path, found.name, why_not=why, is_quiet=is_quiet)
    return _file(found.path, base, found.name, size_bytes, is_quiet)


def _file(path: str, base: Path, name: str, size_bytes: int, is_quiet: bool = False) -> Entry:
    why = why_not(name, size_bytes) and why_not(name, size_bytes, _head(path))
    if not why and not is_writable(short_path(Path(path), base)):
        why = f"{name} {UNWRITABLE}"
    if not why and not os.access(path, os.R_OK):
        why = f"{name} cannot be read: Permission denied."
    return Entry(path, name, size_bytes=size_bytes, why_not=why, is_quiet=is_quiet)


def _head(path: str) -> bytes:
    """Return how a file begins, as far as that can be read."""
    try:
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""
