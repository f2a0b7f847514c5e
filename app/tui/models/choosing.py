"""Choosing another pair from within a chat: the screen for it, the switch, the first offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.signal import Signal

from app.errors import OFFLINE, OfflineError
from app.terminal.sanitise import one_line
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.models.desk import Desk
from app.tui.models.downloading import download
from app.tui.models.model_access import FirstOffer, Listed, OnHub, Usable
from app.tui.preferences.own_settings import not_own
from app.tui.preferences.setting_sources import with_chosen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.serving.orders import SessionSettings
from app.tui.serving.session import Session
from app.tui.serving.shared_engine import RESTING, State

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

LONGEST_NAME = 60
DOWNLOADS = "The first line of the screen says how far it is; the chat goes on meanwhile."


class Choosing:
    """Chooses for one chat. engine_changed: publishes the session's state whenever it changes."""

    def __init__(
        self, chat: ChatView, desk: Desk, session: Session, engine_changed: Signal[State]
    ) -> None:
        self._chat, self._desk, self._session = chat, desk, session
        self._engine_changed = engine_changed

    def open(self, name: str = "") -> None:
        """Show the models. name: the pair to go to, "" for the chat's."""
        from app.tui.screens.models import ModelsScreen

        screen = ModelsScreen(self._desk, self._session, self._engine_changed, name)
        self._chat.app.push_screen(screen, self._go_on_with)

    async def take(self, name: str) -> None:
        """Go on with what is called so; what is not here is offered to be downloaded.

        Raises AppError or OSError for what is no model, or cannot be had.
        """
        match await in_thread(lambda: self._desk.models.meant(name)):
            case Usable(settings):
                await self._go_on(settings)
            case Listed(pair):
                self.open(pair)
            case OnHub(file):
                self._offer(file)

    def _offer(self, file: str) -> None:
        """Ask whether a repository's file is to be downloaded; one that was refused, whether it is
        all the same.
        """
        if self._desk.models.offline:
            raise OfflineError(f"{one_line(file)} is not here, and {OFFLINE}.")

        name, pulls = one_line(file, LONGEST_NAME), self._desk.pulls

        def begin(is_wanted: bool | None) -> None:
            if is_wanted:
                pulls.start(file)

        if pulls.misfit(file):
            download(self._chat.app, pulls, file, name, ())
            return
        question = f"{name} is not here. Download it from the Hub?"
        self._chat.app.push_screen(ConfirmScreen(question, [DOWNLOADS], "Download", "No"), begin)

    async def _go_on(self, settings: SessionSettings) -> None:
        """Load it, unless it is what answers here, as it shall; what was changed in this chat
        stays.
        """
        pair, now, session = settings.pair, self._session.settings.pair, self._session
        is_same = (pair.target, pair.draft, pair.mmproj) == (now.target, now.draft, now.mmproj)
        if is_same and session.has(now) and session.state not in RESTING:
            self._chat.say(f"{settings.title} is the model of this chat already.")
            return
        await session.switch(with_chosen(settings, not_own(self._chat.chosen)))

    async def _go_on_with(self, name: str | None) -> None:
        """Load the pair that was chosen; what was changed in this chat stays."""
        if name is None:
            return
        try:
            settings = await in_thread(lambda: self._desk.models.settings(name))
        except Exception as error:
            title = f"{one_line(name)} cannot be opened"
            self._chat.notify(error_line(error), title=title, severity="error", markup=False)
            return
        await self._session.switch(with_chosen(settings, not_own(self._chat.chosen)))

    async def suggest(self, show: Callable[[FirstOffer], None]) -> None:
        """Offer a pair to who has only the demo; know what pairs there are before anybody looks."""
        try:
            if not self._desk.facts.offers:
                self._desk.facts = await in_thread(self._desk.models.glance)
            settings = self._session.settings
            offer = await in_thread(lambda: self._desk.models.first_offer(settings))
        except Exception as error:  # an offer is a courtesy: without it nothing is missing
            self._chat.log.warning(error_line(error))
            return
        if offer is not None:
            show(offer)
