"""A TOML file that the person writes by hand and the app changes: read whole, edited in place."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.errors import SettingsError, reason
from app.private_file import write_private


class TomlFile:
    """The file at a path, which need not exist. Every method raises SettingsError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def values(self) -> dict[str, Any]:
        """Return all that the file says, also what is not ours."""
        try:
            return tomllib.loads(self._text())
        except ValueError as error:
            raise SettingsError(f"Cannot read {self.path}: {reason(error)}.") from None

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change what the file says of a name. change: takes its text and returns another; raises
        ValueError for what it cannot change.
        """
        self.values()  # a file that is damaged already is said to be so
        try:
            text = change(self._text()).encode()
        except ValueError as error:
            raise SettingsError(
                f"Cannot change {name} in {self.path}: {reason(error)}. Edit it by hand."
            ) from None
        try:
            write_private(self.path, text)
        except OSError as error:
            raise SettingsError(f"Cannot write {self.path}: {reason(error)}.") from None

    def _text(self) -> str:
        try:
            return self.path.read_bytes().decode()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise SettingsError(f"Cannot read {self.path}: {reason(error)}.") from None
