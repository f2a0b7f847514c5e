"""Tells who is elsewhere: the terminal's title says what a chat does, the bell that it is done.

The title is OSC 2, which tmux and GNU screen take for their own; it is put on a stack that most
terminals have, and taken back from there. It knows what the chat does, and nothing of its widgets.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TextIO

from textual.signal import Signal

from app.clipboard import WITHOUT_OSC52
from app.history.title import title_of
from app.sanitise import one_line
from app.tui.copied import write_to
from app.tui.session import State

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

NAME, BUSY = "Slipstream", "● answering…"
LONG_S = 5.0
"""Of an answer that took longer, one is told who looks elsewhere."""
LONGEST = 60
PUSH, POP = "\x1b[22;2t", "\x1b[23;2t"


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
        if session.answering and self._since is None:
            self._since = self._clock()
        elif session.is_idle and self._since is not None:
            took_s, self._since = self._clock() - self._since, None
            if took_s > LONG_S and not self._chat.app.app_focus and self._may_ring():
                self._chat.app.bell()
        turns = session.conversation.turns
        self._show(title(session.answering, turns[0].question if turns else ""))

    def _may_ring(self) -> bool:
        """Whether the bell is switched on, here or by the settings."""
        chat = self._chat
        chosen = chat.chosen.get("bell")
        return bool(getattr(chat.session.settings, "bell", True) if chosen is None else chosen)

    def _show(self, text: str) -> None:
        if text != self._title and has_title(os.environ):
            self._title = text
            write_to(self._chat.app, osc2(text))


def title(is_answering: bool, question: str) -> str:
    """Return the terminal's title. question: the chat's first, after which it is called."""
    name = one_line(title_of(question), LONGEST)
    return " · ".join(part for part in (BUSY if is_answering else NAME, name) if part)


def osc2(text: str) -> str:
    """Return what makes a text the terminal's title."""
    return f"\x1b]2;{text}\x07"


def has_title(env: Mapping[str, str]) -> bool:
    """Whether the terminal is one that has a title."""
    return env.get("TERM") not in WITHOUT_OSC52


@contextlib.contextmanager
def kept_title(terminal: TextIO | None = sys.__stderr__) -> Iterator[None]:
    """Give the terminal back the title that it had, or none where it cannot tell."""
    if terminal is None or not terminal.isatty() or not has_title(os.environ):
        yield
        return
    _write(terminal, PUSH)
    try:
        yield
    finally:
        _write(terminal, osc2("") + POP)


def _write(terminal: TextIO, text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # hung up
        terminal.write(text)
        terminal.flush()
