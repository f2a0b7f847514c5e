"""Which actions a screen's footer offers: those that make sense now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.screen import Screen


class Offered:
    """The footer blinks when it is made anew: that is done only where its actions have changed.

    actions: those that do not always make sense.
    """

    def __init__(self, screen: Screen[Any], actions: Sequence[str]) -> None:
        self._screen = screen
        self._actions = actions
        self._now: set[str] = set()

    def look(self) -> None:
        """Offer what makes sense now."""
        now = {name for name in self._actions if self._screen.check_action(name, ())}
        if now != self._now:
            self._now = now
            self._screen.refresh_bindings()
