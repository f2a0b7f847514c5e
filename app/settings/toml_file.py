"""A TOML file that the person writes by hand and the app changes: read whole, edited in place.

Two windows may change one file: each change is made of the file as it is by then, under a lock.
"""

from __future__ import annotations

import codecs
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.errors import SettingsError, reason
from app.paths import make_private
from app.private_file import write_private
from app.short_text import parsed_toml, read_short

LIMIT_BYTES = 4 * 2**20


class TomlFile:
    """The file at a path, which need not exist. Every method raises SettingsError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def values(self) -> dict[str, Any]:
        """Return all that the file says, also what is not ours."""
        try:
            return parsed_toml(self._text())
        except ValueError as error:
            raise SettingsError(f"Cannot read {self.path}: {reason(error)}.") from None

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change what the file says of a name. change: takes its text and returns another; raises
        ValueError for what it cannot change.
        """
        try:
            with _locked(self.path.parent):
                self._edit(name, change)
        except OSError as error:
            raise SettingsError(f"Cannot write {self.path}: {reason(error)}.") from None

    def _edit(self, name: str, change: Callable[[str], str]) -> None:
        self.values()  # a file that is damaged already is said to be so
        try:
            text = change(self._text())
        except ValueError as error:
            raise SettingsError(
                f"Cannot change {name} in {self.path}: {reason(error)}. Edit it by hand."
            ) from None
        write_private(self.path, text.encode("utf-8-sig" if self._has_mark() else "utf-8"))

    def _text(self) -> str:
        try:
            return read_short(self.path, LIMIT_BYTES, "it should be a text file")
        except FileNotFoundError:
            return ""

    def _has_mark(self) -> bool:
        """Whether the file begins with a byte order mark, as some editors have it."""
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
        return False


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let nobody else edit a file of a folder, which is made. Raises OSError."""
    make_private(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
