"""Choosing another pair from within a chat: the screen for it, the switch, the first offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.signal import Signal

from app.sanitise import one_line
from app.tui.desk import Desk
from app.tui.failures import said
from app.tui.own_settings import not_own
from app.tui.room import FirstOffer
from app.tui.session import Session
from app.tui.setting_sources import with_chosen
from app.tui.shared_engine import State
from app.tui.threads import in_thread

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen


class Choosing:
    """Chooses for one chat. engine_changed: publishes the session's state whenever it changes."""

    def __init__(
        self, chat: ChatScreen, desk: Desk, session: Session, engine_changed: Signal[State]
    ) -> None:
        self._chat, self._desk, self._session = chat, desk, session
        self._engine_changed = engine_changed
        self._suggested = ""

    def open(self, name: str = "") -> None:
        """Show the models. name: the pair to go to, "" for the one offered, or the chat's."""
        from app.tui.screens.models import ModelsScreen

        begin_at = name or self._suggested
        screen = ModelsScreen(self._desk, self._session, self._engine_changed, begin_at)
        self._chat.app.push_screen(screen, self._go_on_with)

    async def _go_on_with(self, name: str | None) -> None:
        """Load the pair that was chosen; what was changed in this chat stays."""
        if name is None:
            return
        self._suggested = ""
        try:
            settings = await in_thread(lambda: self._desk.room.settings(name))
        except Exception as error:
            title = f"{one_line(name)} cannot be opened"
            self._chat.notify(said(error), title=title, severity="error", markup=False)
            return
        await self._session.switch(with_chosen(settings, not_own(self._chat.chosen)))

    async def suggest(self, show: Callable[[FirstOffer], None]) -> None:
        """Offer a pair to who has only the demo."""
        try:
            settings = self._session.settings
            offer = await in_thread(lambda: self._desk.room.first_offer(settings))
        except Exception as error:  # an offer is a courtesy: without it nothing is missing
            self._chat.log.warning(said(error))
            return
        if offer is not None:
            self._suggested = offer.name
            show(offer)
