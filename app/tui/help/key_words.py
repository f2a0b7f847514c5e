"""What the help says of keys: what each does now, and by which name it can get other ones."""

from __future__ import annotations

from app.tui.actions import ACTIONS
from app.tui.help.words import Entry, Section
from app.tui.keys.key_name import listed
from app.tui.keys.keymap import Keys, named

FILE = "settings.toml"
HOW = (
    f'Other keys stand in {FILE}, in the table [keys], by the names below: retry = "ctrl+t", '
    'search = ["ctrl+f", "f7"], quit = "" for none. They hold from the next start on.'
)
NO_KEY = "no key"
ABOUT_KEYS = "keys"
"""What whoever is sent to the help for other keys searches for there."""


def pressing(keys: Keys) -> Section:
    """Say what the keys of the chat do."""
    entries = [
        Entry(shown, action.about, also=f"{action.title} {action.also} {action.name}")
        for action in ACTIONS.values()
        if (shown := listed(keys.of_action(action)))
    ]
    return Section("Keys", tuple(entries))


def changing(keys: Keys) -> Section:
    """Say what is wrong with the keys that are wanted, how to have other ones, and every name."""
    wrong = [Entry("wrong", line, also="keys error") for line in keys.wrong]
    entries = [
        Entry(name, f"{_now(keys, name)}: {what.about}", also=f"keys {what.title}")
        for name, what in named().items()
    ]
    how = Entry("[keys]", HOW, also="remap rebind keymap shortcut change own")
    return Section("Other keys", (*wrong, how, *entries))


def _now(keys: Keys, name: str) -> str:
    """Return the keys of something, and those of old where they are other ones."""
    now, before = listed(keys.of(name)), listed(named()[name].keys)
    return (now or NO_KEY) + (f" (by default {before or NO_KEY})" if now != before else "")
