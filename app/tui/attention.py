"""Tells who is elsewhere: the terminal's title says what a chat does; the bell, and a notification
on the desktop where the terminal can raise one, that something is done or waits for them.

It knows what the chat does, and nothing of its widgets. What is told names a chat or a model, and
never has a word of an answer.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING

from textual.signal import Signal

from app.terminal.desktop_notice import notice
from app.terminal.sanitise import one_line
from app.terminal.tmux_window import is_hidden
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.chats.tabs import NEW
from app.tui.models.pulls import States
from app.tui.serving.shared_engine import State
from app.tui.terminal.terminal_title import has_title, osc2
from app.tui.text.copied import write_to
from app.tui.turns.fullness import full_turn

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.chats.open_chats import OpenChat

NAME, BUSY = "Slipstream", "● answering…"
ANSWERED = "The answer is there"
CHOICE = "The context is full: what now?"
MEASURED = "The benchmark is over"
LONG_S = 5.0
"""Of an answer that took longer, one is told who looks elsewhere."""
LONGEST = 60


class Attention:
    """Follows one chat's session and downloads."""

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._since: float | None = None
        self._title = ""
        self._pulling: set[str] = set()

    def follow(self, changed: Signal[State]) -> None:
        """Look whenever the session, or a download, has changed."""
        changed.subscribe(self._chat, lambda _: self._look())
        if self._chat.desk is not None:
            self._chat.desk.pulls.changed.subscribe(self._chat, self._look_at_pulls)
        self._look()

    def _look(self) -> None:
        session = self._chat.session
        if session.is_busy and self._since is None:
            self._since = time.monotonic()
        elif session.is_free and self._since is not None:
            took_s, self._since = time.monotonic() - self._since, None
            is_to_choose = session.running is session.conversation and full_turn(session.running)
            if took_s > LONG_S and not is_to_choose:  # of the choice one is told when it is there
                call(self._chat, ANSWERED, self._answered())
        chat = self._running() if session.is_busy else self._chat.tabs.open.current
        self._show(title(session.is_busy, self._chat.tabs.title(chat) if chat else ""))

    def _answered(self) -> str:
        """Return what the chat is called that was answered last."""
        chat = self._running()
        return told_of(self._chat, chat) if chat is not None else ""

    def _running(self) -> OpenChat | None:
        """Return the chat that is being answered, or was last; None if it is closed."""
        running = self._chat.session.running
        shown = ((chat, chat.asking) for chat in self._chat.tabs.open)
        found = (chat for chat, asking in shown if asking and asking.conversation is running)
        return next(found, None)

    def _look_at_pulls(self, states: States) -> None:
        for name, state in states.items():
            if state.is_running:
                self._pulling.add(name)
            elif name in self._pulling:
                self._pulling.remove(name)
                if state.status in ("done", "failed"):
                    is_done = state.status == "done"
                    call(self._chat, "Installed" if is_done else "Not downloaded", name)

    def _show(self, text: str) -> None:
        if text != self._title and has_title(os.environ):
            self._title = text
            write_to(self._chat.app, osc2(text))


def call(chat: ChatView, what: str, name: str = "") -> None:
    """Call who looks elsewhere, in the way that they chose. name: what it is about."""
    if chat.session.settings.habits.notify == "off":
        return
    if not chat.app.app_focus:
        _call(chat, what, name)
    elif os.environ.get("TMUX"):
        start(chat, _call_from_behind, chat, what, name, group="attention")


async def _call_from_behind(chat: ChatView, what: str, name: str) -> None:
    if await in_thread(partial(is_hidden, os.environ)):
        _call(chat, what, name)


def _call(chat: ChatView, what: str, name: str) -> None:
    chat.app.bell()
    name = "" if name == NEW else one_line(name, LONGEST)
    told = notice(NAME, f"{what}: {name}" if name else what, os.environ)
    if chat.session.settings.habits.notify == "desktop" and told:
        write_to(chat.app, told)


def told_of(chat: ChatView, opened: OpenChat) -> str:
    """Return what a chat is called, "" of one that is not kept: a desktop keeps what it is told."""
    is_kept = opened.asking is not None and opened.asking.recorder is not None
    return chat.tabs.title(opened) if is_kept else ""


def title(is_answering: bool, name: str) -> str:
    """Return the terminal's title. name: what the chat is called."""
    name = "" if name == NEW else one_line(name, LONGEST)
    return " · ".join(part for part in (BUSY if is_answering else NAME, name) if part)
