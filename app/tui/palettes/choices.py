"""What may follow a slash command, in a palette of its own: the one that is chosen follows it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from textual.command import DiscoveryHit, Hit, Hits, Provider

from app.settings.config import ChatSettings
from app.terminal.sanitise import one_line
from app.tui.actions import ACTIONS
from app.tui.background.starting import start
from app.tui.chat_view import ChatView
from app.tui.palettes.entry import Entry
from app.tui.palettes.picker import Picker

NOW = "● now"


class Choices(Provider):
    """What an action says may follow it. `now` says which one holds now."""

    action: ClassVar[str]

    async def discover(self) -> Hits:
        """Offer all."""
        for entry in self.entries():
            yield DiscoveryHit(entry.shown, entry.run, entry.title, entry.about)

    async def search(self, query: str) -> Hits:
        """Offer what is wanted."""
        for entry in self.entries():
            if worth := entry.worth(query):
                yield Hit(worth, entry.shown, entry.run, entry.title, entry.about)

    def entries(self) -> Iterator[Entry]:
        """Yield them, where a chat is on the screen."""
        chat, offered = self.screen, ACTIONS[self.action].choices
        if not isinstance(chat, ChatView) or offered is None:
            return
        for value, about in offered(chat, ""):
            run = partial(_begin, chat, self.action, value)
            key = NOW if value == self.now(chat) else ""
            yield Entry(one_line(value), one_line(about), run, key=key)

    def now(self, chat: ChatView) -> str:
        """Return the one that holds now, "" for none."""
        return ""


class DrafterNames(Choices):
    """The drafters."""

    action = "draft"

    def now(self, chat: ChatView) -> str:
        """Return who drafts."""
        return chat.session.settings.pair.drafter


class PersonaNames(Choices):
    """The personas."""

    action = "persona"

    def now(self, chat: ChatView) -> str:
        """Return who answers in this chat."""
        usual = chat.session.settings
        start = usual.persona if isinstance(usual, ChatSettings) else ""
        return str(chat.chosen.get("persona", start) or "")


class KnownLines(Choices):
    """What new chats are told about the person; the one that is chosen is taken away."""

    action = "forget"


def choose(chat: ChatView, choices: type[Choices], question: str) -> None:
    """Have one of them chosen."""
    chat.app.push_screen(Picker([choices], placeholder=question))


def _begin(chat: ChatView, action: str, value: str) -> None:
    start(chat, chat.action_act, action, value)
