"""The `[keys]` table of the settings file: what has other keys than by default.

    [keys]
    retry = "ctrl+t"
    search = ["ctrl+f", "f7"]
    quit = ""                   # none

Contract: a wrong entry is told in one line, which names file, table and entry, what was found and
what to do, and that entry keeps its default; nothing here raises. A key that the table gives is
taken from what has it by default; of two entries with one key in one screen the later is wrong.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import SettingsError
from app.prompts.slash import SLASHES
from app.refusals import found as found_value
from app.settings.settings_file import KEYS, SettingsFile
from app.terminal.sanitise import one_line
from app.tui.actions import ACTIONS
from app.tui.keys import key_name
from app.tui.keys.key_name import pretty
from app.tui.keys.keymap import CHAT, DEFAULT, Keys, Named, named

A_KEY = 'should be a key in quotes, a list of such, or "" for none'
A_TABLE = 'should be a table: [keys], and below it lines such as retry = "ctrl+t"'
LISTED = "/help keys lists the names"
NONE = "none"


def of_file(path: Path) -> Keys:
    """Return the keys that the settings file gives. Raises SettingsError if it cannot be read."""
    values = SettingsFile(path).values()
    return read(values[KEYS], path) if KEYS in values else DEFAULT


def read(table: object, path: Path) -> Keys:
    """Return the keys that a table gives. path: the file where it stands."""
    place = f"{path}: {KEYS}"
    if not isinstance(table, Mapping):
        return Keys(wrong=(f"{place}: {A_TABLE}, found {found_value(table)}.",))
    given: dict[str, tuple[str, ...]] = {}
    wrong: list[_Wrong] = []
    for entry, value in table.items():
        name = _name(str(entry))
        try:
            keys = _keys(name, value)
            _refuse_twice(name, keys, given)
        except SettingsError as error:
            wrong.append(_Wrong(f"{place}: {one_line(str(entry), 40)}: {error}", name))
        else:
            given[name] = keys
    all_given = _without_taken(given)
    own = {name: its_keys for name, its_keys in all_given.items() if its_keys != named()[name].keys}
    return Keys(own, tuple(each.told(Keys(own)) for each in wrong))


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What is wrong with an entry. name: what it is about, "" if that is not known."""

    line: str
    name: str

    def told(self, keys: Keys) -> str:
        """Return the line, with what holds now."""
        if self.name not in named():
            return f"{self.line}."
        now = ", ".join(map(pretty, keys.of(self.name)))
        return f"{self.line}. {self.name} {f'keeps {now}' if now else 'has no key now'}."


def _name(entry: str) -> str:
    """Return what an entry is about, be it in the words of a slash command; as it is if nothing."""
    name = entry.strip().lower().removeprefix("/").replace("_", "-")
    if name in named():
        return name
    return next((slash.name for slash in SLASHES if name in slash.aliases), name)


def _keys(name: str, value: object) -> tuple[str, ...]:
    """Return the keys that an entry gives. Raises SettingsError."""
    if name not in named():
        near = difflib.get_close_matches(name, list(named()), 1)
        nearest = f"the nearest is {near[0]}; " if near else ""
        raise SettingsError(f"there is nothing of that name; {nearest}{LISTED}")
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise SettingsError(f"{A_KEY}, found {found_value(value)}")
    words = [text for text in texts if text.strip().lower() not in ("", NONE)]
    return tuple(dict.fromkeys(_key(named()[name], name, text) for text in words))


def _key(what: Named, name: str, text: str) -> str:
    try:
        key = key_name.read(text)
        if key not in what.keys:
            may_page = what.places == {CHAT} and name in ACTIONS
            key_name.refuse(key, what.is_typed_at, may_page)
    except SettingsError as error:
        raise SettingsError(f"{error}, found {found_value(text)}") from None
    return key


def _refuse_twice(name: str, keys: Iterable[str], given: Mapping[str, tuple[str, ...]]) -> None:
    """Raise SettingsError if an earlier entry is about the same, or has one of the keys."""
    if name in given:
        raise SettingsError(f"is about {name}, as an earlier entry is; take one of them out")
    for other, its_keys in given.items():
        shared = [key for key in keys if key in its_keys]
        if shared and named()[other].places & named()[name].places:
            raise SettingsError(
                f"should be another key: {pretty(shared[0])} is given to {other} above; change "
                "one of them"
            )


def _without_taken(given: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what is given, and what is left to those that a key was taken from."""
    own = dict(given)
    for name, what in named().items():
        taken = {
            key
            for other, keys in given.items()
            if named()[other].places & what.places
            for key in keys
        }
        if name not in given and taken.intersection(what.keys):
            own[name] = tuple(key for key in what.keys if key not in taken)
    return own
