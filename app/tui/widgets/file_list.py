"""The list of the file picker: files and folders as a tree, or what was found by name."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets.option_list import Option

from app.tui.widgets.file_rows import FileRow, line
from app.tui.widgets.row_list import RowList


class FileList(RowList):
    """Which row is highlighted is told; what becomes of it is the screen's."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: Sequence[FileRow] = ()
        self._marked: Collection[str] = ()
        self._found_in = ""

    def compose(self) -> ComposeResult:
        """The rows alone."""
        yield self.rows

    @property
    def highlighted(self) -> FileRow | None:
        """The row that keys act on."""
        at = self.rows.highlighted
        return self.shown[at] if at is not None and at < len(self.shown) else None

    def show(
        self, rows: Sequence[FileRow], marked: Collection[str], at: str, found_in: str = ""
    ) -> None:
        """Show these. at: the path of the one to highlight; where it is not there, the first one.
        found_in: the folder that they were found in, from which on they are named.
        """
        self.shown, self._marked, self._found_in = rows, marked, found_in
        self.write()
        paths = [row.entry.path for row in rows]
        self.rows.highlighted = paths.index(at) if at in paths else (0 if rows else None)

    def mark(self, before: Collection[str], marked: Collection[str]) -> None:
        """Show what is marked by now."""
        self._marked = marked
        for at, row in enumerate(self.shown):
            if (row.entry.path in before) != (row.entry.path in marked):
                self.rows.replace_option_prompt_at_index(at, self._line(row))

    def write(self) -> None:
        """Lay the rows out."""
        at = self.rows.highlighted
        self.rows.set_options([Option(self._line(row)) for row in self.shown])
        self.rows.highlighted = at

    def _line(self, row: FileRow) -> Content:
        entry = row.entry
        name = os.path.relpath(entry.path, self._found_in) if self._found_in else entry.name
        return line(row, name, entry.path in self._marked, self.room)
