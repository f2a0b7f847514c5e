"""What to do now that the context is full: shown below the chat, chosen with keys or the mouse.

It is there as long as the last turn is one that found the context full, and follows the session.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.signal import Signal
from textual.widgets import OptionList, Static

from app.chat.conversation import Turn
from app.tui.attention import CHOICE, call, told_of
from app.tui.background.starting import start
from app.tui.keys.keymap import told
from app.tui.serving.shared_engine import State
from app.tui.turns.fullness import Full, full_turn, measure
from app.tui.widgets.left_out import mark_left_out
from app.tui.widgets.offer_list import OfferList, offered
from engine import EngineError

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

POLL_S = 0.05
TRIES = 100
KEYS = "↑ ↓ and Enter choose, or a click; Esc leaves, Tab returns"


class FullChoice(Vertical):
    """full: what is chosen about, None while nothing is."""

    DEFAULT_CSS = """
    FullChoice {
        height: auto;
        max-height: 40vh;
        display: none;
        padding: 0 1;
        border-left: outer $warning;
        background: $surface;
        .full--what { color: $warning; text-style: bold; }
        OfferList { max-height: 25vh; }
        .full--keys { color: $foreground 60%; height: 1; }
    }
    """

    def __init__(self, changed: Signal[State]) -> None:
        """changed: publishes whenever the session has changed."""
        super().__init__()
        self.full: Full | None = None
        self._of: Turn | None = None  # that it is about
        self._changed = changed
        self._what = Static(classes="full--what", markup=False)
        self._list = OfferList(compact=True)
        self._is_looking = self._is_stale = False

    def compose(self) -> ComposeResult:
        """What is full, the choices, the keys."""
        yield self._what
        yield self._list
        yield Static(KEYS, classes="full--keys", markup=False)

    def on_mount(self) -> None:
        """Follow the session."""
        self._changed.subscribe(self, self._on_changed)

    @property
    def _chat(self) -> ChatView:
        return cast("ChatView", self.screen)

    def _on_changed(self, _: State) -> None:
        self._is_stale = True
        if not self._is_looking:
            self._is_looking = True
            start(self, self._look)

    async def _look(self) -> None:
        """Look until nothing has changed meanwhile."""
        try:
            while self._is_stale:
                self._is_stale = False
                chat = self._chat
                if self.full is not None and self._turn() is not self._of:
                    self._show(None)  # what another chat may choose
                await mark_left_out(chat.talk.transcript, chat.session.conversation)
                self._show(await self._measured())
        finally:
            self._is_looking = False

    def _turn(self) -> Turn | None:
        """Return the turn that something is to be chosen about."""
        session = self._chat.session
        is_free = session.is_idle and session.state == "ready" and not self._chat.asking.editing
        return full_turn(session.conversation) if is_free else None

    async def _measured(self) -> Full | None:
        """Return what is full; the engine may be counting something else for a moment."""
        turn, ready = self._turn(), self._chat.figures.ready
        conversation = self._chat.session.conversation
        count = partial(self._chat.gauge.tokens, think=conversation.think)
        for _ in range(TRIES):
            if turn is None or ready is None or self._turn() is not turn or self._is_stale:
                return None
            try:
                full = await measure(conversation, ready.n_ctx, count)
            except EngineError:  # whoever asks next is told
                return None
            if full is not None:
                return full if self._turn() is turn else None
            await asyncio.sleep(POLL_S)
        return None

    def _show(self, full: Full | None) -> None:
        if full == self.full:
            return
        if full is not None and self.full is None:
            call(self._chat, CHOICE, told_of(self._chat, self._chat.tabs.open.current))
        self.full, self._of, had_focus = full, self._turn(), self._list.has_focus
        self.display = full is not None
        prompt = self._chat.prompt
        if full is None:
            if had_focus:
                prompt.focus()
            return
        self._what.update(full.what)
        self._list.clear_options()
        self._list.add_options(offered(told(self, words), name) for name, words in full.choices)
        self._list.highlighted = 0
        if self.screen.is_current and not prompt.text:  # who is typing goes on typing
            self._list.focus()

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do it, with the turn that is full, whichever is chosen."""
        event.stop()
        self._chat.talk.transcript.select(None)
        await self._chat.action_act(str(event.option_id))

    def on_key(self, event: events.Key) -> None:
        """Leave with Esc."""
        if event.key == "escape":
            event.stop()
            self._chat.prompt.focus()
