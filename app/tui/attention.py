"""Tells who is elsewhere: the terminal's title says what a chat does, the bell that it is done.

It knows what the chat does, and nothing of its widgets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.signal import Signal

from app.sanitise import one_line
from app.tui.copied import write_to
from app.tui.shared_engine import State
from app.tui.tabs import NEW
from app.tui.terminal_title import has_title, osc2

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

NAME, BUSY = "Slipstream", "● answering…"
LONG_S = 5.0
"""Of an answer that took longer, one is told who looks elsewhere."""
LONGEST = 60


class Attention:
    """clock: seconds that only grow."""

    def __init__(self, chat: ChatScreen, clock: Callable[[], float] = time.monotonic) -> None:
        self._chat, self._clock = chat, clock
        self._since: float | None = None
        self._title = ""

    def follow(self, changed: Signal[State]) -> None:
        """Look whenever the session has changed."""
        changed.subscribe(self._chat, lambda _: self._look())
        self._look()

    def _look(self) -> None:
        session = self._chat.session
        if session.is_busy and self._since is None:
            self._since = self._clock()
        elif session.is_free and self._since is not None:
            took_s, self._since = self._clock() - self._since, None
            if took_s > LONG_S and not self._chat.app.app_focus and self._may_ring():
                self._chat.app.bell()
        self._show(title(session.answering, self._chat.tabs.title(self._chat.tabs.open.current)))

    def _may_ring(self) -> bool:
        """Whether the bell is switched on, here or by the settings."""
        chat = self._chat
        chosen = chat.chosen.get("bell")
        return bool(getattr(chat.session.settings, "bell", True) if chosen is None else chosen)

    def _show(self, text: str) -> None:
        if text != self._title and has_title(os.environ):
            self._title = text
            write_to(self._chat.app, osc2(text))


def title(is_answering: bool, name: str) -> str:
    """Return the terminal's title. name: what the chat is called."""
    name = "" if name == NEW else one_line(name, LONGEST)
    return " · ".join(part for part in (BUSY if is_answering else NAME, name) if part)
