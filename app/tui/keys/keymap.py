"""Which keys do what: by default, or as the `[keys]` table of the settings file has it.

Every word on the screen that names a key comes from `told`, `key_of` or `way_to` here, and every
binding that can have another key has its name as id, so that Textual's own keymap moves it. Knows
no file: app/tui/keys/key_table.py reads the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.dom import DOMNode

from app.prompts.slash import SLASHES
from app.tui.keys.key_name import listed, pretty
from app.tui.keys.screen_keys import SCREEN_KEYS

if TYPE_CHECKING:
    from app.tui.actions import Action

NO_KEY = "none"
"""Stands in a binding for no key: no keyboard has it, and Textual knows no binding without one."""
PALETTE, QUIT, LIGHT = "palette", "quit", "light"
CHAT = "chat"
PLACES = frozenset({CHAT, *(name.partition("-")[0] for name in SCREEN_KEYS)})
"""Screens, as far as their keys can be other ones."""
ALSO_AT = {"help": "help", "model": "models", "chats-deleted": "deleted", "blocks": "blocks"}
"""What opens a screen leaves it, too."""
EVERYWHERE = {QUIT: PLACES, LIGHT: PLACES, PALETTE: PLACES - {"chats"}}
NAMED = re.compile(r"\{([a-z0-9-]+)\}")


@dataclass(frozen=True, slots=True)
class Named:
    """What can have other keys. keys: by default; places: the screens where they hold."""

    keys: tuple[str, ...]
    title: str
    about: str
    places: frozenset[str]
    is_typed_at: bool = True


@cache
def _actions() -> Mapping[str, Action[Any]]:
    """Return them; they import this module for what they say."""
    from app.tui.actions import ACTIONS

    return ACTIONS


@cache
def named() -> Mapping[str, Named]:
    """Return all that can have other keys, by name, in the order of the help."""
    found = {
        name: Named(keys, action.title, action.about, _places(name))
        for action in _actions().values()
        for name, keys in names_of(action).items()
    }
    about = "all commands, found by any name"
    found[PALETTE] = Named(("ctrl+p",), "Palette", about, _places(PALETTE))
    for name, one in SCREEN_KEYS.items():
        found[name] = Named(one.keys, one.title, one.about, _places(name), one.is_typed_at)
    return found


def names_of(action: Action[Any]) -> Mapping[str, tuple[str, ...]]:
    """Return an action's name and its keys; each key that gives something has a name of its own."""
    given = {f"{action.name}-{what}": (key,) for key, what in action.given.items()}
    return {action.name: tuple(key for key in action.keys if key not in action.given), **given}


def _places(name: str) -> frozenset[str]:
    if name in EVERYWHERE:
        return frozenset(EVERYWHERE[name])
    own = name.partition("-")[0] if name in SCREEN_KEYS else CHAT
    return frozenset({own, ALSO_AT.get(name, own)})


@dataclass(frozen=True, slots=True)
class Keys:
    """own: the keys of what has others than by default. wrong: a line for each entry of the table
    that cannot be.
    """

    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()

    def of(self, name: str) -> tuple[str, ...]:
        """Return the keys that do something, as Textual names them."""
        return self.own[name] if name in self.own else named()[name].keys

    def of_action(self, action: Action[Any]) -> tuple[str, ...]:
        """Return the keys of an action, whatever they give."""
        return tuple(key for name in names_of(action) for key in self.of(name))

    def action(self, key: str) -> Action[Any] | None:
        """Return which action of a chat a key does, None for none."""
        return next((one for one in _actions().values() if key in self.of_action(one)), None)

    def key(self, name: str) -> str:
        """Return the first key as it stands on a keyboard, "" for none."""
        return pretty(self.of(name)[0]) if self.of(name) else ""

    def way(self, name: str) -> str:
        """Return how to do something: its key, else its slash command, else where it is found."""
        if key := self.key(name):
            return key
        if any(slash.name == name for slash in SLASHES):
            return f"/{name}"
        palette = self.key(PALETTE) if name in _actions() else ""
        return f"“{named()[name].title}” " + (f"in {palette}" if palette else "(no key)")

    def told(self, text: str) -> str:
        """Return a text with the way to do something for its name in braces."""
        return NAMED.sub(lambda at: self.way(at[1]) if at[1] in named() else at[0], text)

    def all_for(self, word: str) -> str:
        """Return the keys whose name stands in braces, "" for none; any other word as it is."""
        if not NAMED.fullmatch(word):
            return word
        action = _actions().get(word[1:-1])
        return listed(self.of(word[1:-1]) if action is None else self.of_action(action))

    @property
    def notice(self) -> str:
        """What there is to say of wrong entries, "" for nothing."""
        if len(self.wrong) < 2:
            return "".join(self.wrong)
        return f"{self.wrong[0]} {len(self.wrong) - 1} more: {self.way('help')} tells them all."

    @property
    def for_textual(self) -> Mapping[str, str]:
        """What Textual's keymap is to be."""
        return {name: ",".join(keys) or NO_KEY for name, keys in self.own.items()}


DEFAULT = Keys()


class KeyedApp(App[None]):
    """An app whose keys can be other ones. own_keys: None as long as nobody has looked."""

    own_keys: Keys | None = None


def keys_of(node: DOMNode) -> Keys:
    """Return the keys of the app that something is shown in."""
    app = node.app
    found = app.own_keys if isinstance(app, KeyedApp) else None
    return DEFAULT if found is None else found


def key_of(node: DOMNode, name: str) -> str:
    """Return the key that does something now, e.g. "Ctrl+R" for "retry"; "" for none."""
    return keys_of(node).key(name)


def way_to(node: DOMNode, name: str) -> str:
    """Return how something is done now: its key, or what there is where it has none."""
    return keys_of(node).way(name)


def told(node: DOMNode, text: str) -> str:
    """Return a text with how something is done now for its name in braces: "{retry} asks again"."""
    return keys_of(node).told(text)
