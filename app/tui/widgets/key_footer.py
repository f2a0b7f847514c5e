"""The footer of the chat: the keys of the actions, as many as the width has room for.

Actions that are `kept` are shown at any width that has room for those; of the others the last go
first. An action may be called otherwise for the time being.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from app.tui.actions import ACTIONS, Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ACT = re.compile(r"act\('([a-z-]+)'\)")
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
        yield from fitted(keys, self.size.width)

    def on_resize(self, event: events.Resize) -> None:
        """Show more or fewer."""
        self.call_after_refresh(self.recompose)


def fitted(keys: list[FooterKey], width: int) -> list[FooterKey]:
    """Return the keys that have room, in their order."""
    shown = list(keys)
    for key in reversed(keys):
        if sum(map(columns, shown)) <= width:
            break
        action = action_of(key)
        if action is not None and not action.kept:
            shown.remove(key)
    return shown


def columns(key: FooterKey) -> int:
    """Return how wide a key is."""
    padding = PALETTE_PADDING if key.has_class(PALETTE) else PADDING
    return len(key.key_display) + len(key.description) + padding


def action_of(key: FooterKey) -> Action | None:
    """Return what a key does, None if that is not one of a chat's actions."""
    found = ACT.fullmatch(key.action)
    return ACTIONS[found[1]] if found else None
