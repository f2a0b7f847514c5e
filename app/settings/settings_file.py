"""Changes settings.toml for a settings screen.

What the person wrote there stays as it is: comments, order, and keys that are not ours. Nothing is
written that the app would refuse at its next start. It knows the file alone: what flags and
variables say, app/settings/sources.py joins.
"""

from __future__ import annotations

from functools import partial

from app.settings.fields import checked
from app.settings.toml_edit import Value, with_value, without_key
from app.settings.toml_file import TomlFile

KEYS = "keys"
"""The table of keys: no setting, and left as it is (app/tui/keys/key_table.py reads it)."""


NOTIFY, BELL = "notify", "bell"
"""A setting, and what it was called while it was a switch; sources.py understands both."""


class SettingsFile(TomlFile):
    """The settings file. Every method raises SettingsError."""

    def set(self, name: str, value: Value) -> None:
        """Write a setting, if it is one and can have this value."""
        checked(name, value)
        self.edit(name, lambda text: with_value(text, name, value))

    def unset(self, name: str) -> None:
        """Take a setting out of the file, if it is there."""
        for key in (name, BELL) if name == NOTIFY else (name,):
            if key in self.values():
                self.edit(key, partial(without_key, name=key))
