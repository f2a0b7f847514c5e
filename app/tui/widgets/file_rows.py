"""The rows of the file picker: a folder's files, those of the folders that are unfolded below them,
or what was found by name. Knows no screen and reads no disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content

from app.files.attachable import tokens_about
from app.files.folder import Entry, Folder
from app.files.mentions import from_home
from app.sizes import counted, size
from app.terminal.sanitise import one_line
from app.tui.tones import DIM

FOLDED, UNFOLDED, LEAF = "▸ ", "▾ ", "  "
MARK, NO_MARK = "✓ ", "  "
GAP = 2
LEAST_NAME = 12
TITLE = "Attach files"
SHOWS_ALL = "hidden and ignored files, too"
LEAST_PATH, ROOM = 12, 6
"""Columns: of the shown folder's path at least, and what stands around it."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """depth: in how many folders it is, from the shown one on. is_open: an unfolded folder."""

    entry: Entry
    depth: int = 0
    is_open: bool = False


class FileTree:
    """Which folders are unfolded, and what is in them. root: the folder that is shown."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.known: dict[str, Folder] = {}
        self.unfolded: set[str] = set()

    def rows(self) -> list[FileRow]:
        """Return the rows from top to bottom."""
        return list(self._below(self.root, 0))

    def _below(self, path: str, depth: int) -> Iterator[FileRow]:
        for entry in self.known.get(path, Folder()).entries:
            is_open = entry.is_folder and entry.path in self.unfolded
            yield FileRow(entry, depth, is_open)
            if is_open:
                yield from self._below(entry.path, depth + 1)

    @property
    def wanted(self) -> list[str]:
        """The folders that are to be read anew where all is."""
        return [self.root, *(path for path in self.unfolded if _is_below(path, self.root))]


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def heading(tree: FileTree, shows_all: bool, width: int) -> Content:
    """Say which folder is shown, and what of it, as far as there is room."""
    notes = [SHOWS_ALL] * shows_all + [cut(tree.known.get(tree.root, Folder()))]
    note = " · ".join(filter(None, notes))
    shown = one_line(from_home(Path(tree.root)))
    room = max(LEAST_PATH, width - len(TITLE) - len(note) - ROOM)
    where = shown if len(shown) <= room else f"…{shown[1 - room :]}"
    return Content.assemble((TITLE, "bold $primary"), f"  {where}", (f"  {note}", DIM))


def line(row: FileRow, name: str, is_marked: bool, width: int) -> Content:
    """Write a row, no longer than the width. name: what it is called."""
    entry = row.entry
    icon = (UNFOLDED if row.is_open else FOLDED) if entry.is_folder else LEAF
    shown = one_line(name) + "/" * entry.is_folder
    about = "" if entry.is_folder or entry.why_not else size(entry.size_bytes)
    look = "bold" if entry.is_folder else DIM if entry.why_not or entry.is_quiet else ""
    indent = "  " * min(row.depth, max(0, (width - LEAST_NAME - len(about)) // 2 - 3))
    head = (MARK if is_marked else NO_MARK) + indent + icon
    room = max(LEAST_NAME, width - len(head) - len(about) - GAP)
    cell = Content.styled(shown, look).truncate(room, ellipsis=True, pad=True)
    marked = Content.styled(head, "bold $success" if is_marked else "")
    return Content.assemble(marked, cell, " " * GAP, (about, DIM))


def much(entries: Sequence[Entry]) -> str:
    """Say how much files are, with a guess at the tokens of those that are texts."""
    tokens = sum(tokens_about(entry.name, entry.size_bytes) for entry in entries)
    digits = max(0, len(str(tokens)) - 2)  # no more than the guess is worth
    about = f", about {round(tokens, -digits):,} tokens" if tokens else ""
    return size(sum(entry.size_bytes for entry in entries)) + about


def marked(entries: Sequence[Entry]) -> str:
    """Say how much is marked, "" if nothing is."""
    return f"{counted(len(entries), 'file')} marked: {much(entries)}" if entries else ""


def cut(folder: Folder) -> str:
    """Say how many files of a folder are not listed, "" if all are."""
    if not folder.n_more and not folder.is_cut:
        return ""
    return f"{'more than ' * folder.is_cut}{folder.n_more:,} more are not listed"
