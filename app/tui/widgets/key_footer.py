"""The footer of the chat: the keys of the actions, as many as the width has room for.

Of those that have no room the last go first: such that are not `kept`, then all but the ways out
of what is going on. An action may be called otherwise for the time being.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from app.tui.actions import ACTIONS, Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ACT = re.compile(r"act\('([a-z-]+)'\)")
ORDER = list(ACTIONS)
WAYS_OUT = ("stop", "help", "quit")
NEEDED = 2
PALETTE = "-command-palette"
PADDING = 3
PALETTE_PADDING = 5


class KeyFooter(Footer):
    """The footer of the chat."""

    def compose(self) -> ComposeResult:
        """Yield the keys that have room."""
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        for key in keys:
            action = action_of(key)
            if action is not None and action.now is not None:
                key.description = action.now(cast("ChatScreen", self.screen))
        yield from fitted(sorted(keys, key=_rank), self.size.width)

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Show other keys, also to who looks at a terminal that has not the focus."""
        self._bindings_ready = True
        if self.is_attached and screen is self.screen:
            self.call_after_refresh(self.recompose)

    def on_resize(self, event: events.Resize) -> None:
        """Show more or fewer."""
        self.call_after_refresh(self.recompose)


def fitted(keys: list[FooterKey], width: int) -> list[FooterKey]:
    """Return the keys that have room, in their order."""
    shown = list(keys)
    for key in sorted(reversed(keys), key=_weight):
        if sum(map(columns, shown)) > width and _weight(key) < NEEDED:
            shown.remove(key)
    return shown


def _weight(key: FooterKey) -> int:
    """Return how much a key is needed; the palette's as much as those that are kept."""
    action = action_of(key)
    if action is None or action.name not in WAYS_OUT:
        return 1 if action is None or action.kept else 0
    return NEEDED


def _rank(key: FooterKey) -> int:
    """Return where a key stands: Textual has those first that mean something in a text field."""
    action = action_of(key)
    return ORDER.index(action.name) if action is not None else len(ORDER)


def columns(key: FooterKey) -> int:
    """Return how wide a key is."""
    padding = PALETTE_PADDING if key.has_class(PALETTE) else PADDING
    return len(key.key_display) + len(key.description) + padding


def action_of(key: FooterKey) -> Action | None:
    """Return what a key does, None if that is not one of a chat's actions."""
    found = ACT.fullmatch(key.action)
    return ACTIONS[found[1]] if found else None
