"""Drives the chats screen in tests: over a real history, read off the screen as a person would."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Input

from app.history import History, Outcome
from app.tui.preferences.themes import DARK
from app.tui.screens.chats import ChatsScreen
from app.tui.terminal.key_order import KeyOrder
from app.tui.toasts import ToastingApp
from app.tui.widgets.chat_browser import ChatBrowser
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.chat_preview import ChatPreview
from app.tui.widgets.search import Search
from tests.app.history.chats import NOW, Clock
from tests.app.tui.driving import NARROW
from tests.app.tui.fakes import wait_until
from tests.app.tui.picture import picture
from tests.app.tui.toasted import remembered

HOUR_S = 3600.0
NEVER = -1
"""The result of a screen that is still open."""


class Kept:
    """A history with chats in it. Each is an hour newer than the one before; the last is of now."""

    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.history = History.open(path / "history.db", clock=self.clock)

    def chat(self, question: str, answer: str = "Yes.", pair: str = "demo", title: str = "") -> int:
        self.clock.now += HOUR_S
        chat = self.history.new_chat(pair=pair)
        self.history.rename(chat, title)
        asked = self.history.add(chat, None, "user", question)
        said = self.history.add(chat, asked, "assistant", pair=pair)
        self.history.finish(said, answer, Outcome("stop"))
        return chat

    def chats(self, *questions: str) -> list[int]:
        ids = [self.chat(question) for question in questions]
        assert self.history.flush()
        return ids

    @property
    def titles(self) -> list[str]:
        assert self.history.flush()
        return [chat.title for chat in self.history.chats()]


class ChatsApp(ToastingApp, KeyOrder):
    """Nothing but the screen."""

    BINDINGS = [Binding("ctrl+q", "quit", "Quit", priority=True)]  # noqa: RUF012 (as in the base)

    def __init__(self, kept: Kept, current: int | None) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.chats = ChatsScreen(kept.history, current, kept.clock)
        self.result: int | None = NEVER

    def on_mount(self) -> None:
        self.push_screen(self.chats, self._done)

    def _done(self, result: int | None) -> None:
        self.result = result

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+P to the chats."""
        return action != "command_palette" or not isinstance(self.screen, ChatsScreen)


class Seen:
    """The running screen."""

    def __init__(self, app: ChatsApp, pilot: Pilot[None], kept: Kept) -> None:
        self.app, self.pilot, self.kept = app, pilot, kept
        self.toasted = remembered(app)

    @property
    def list(self) -> ChatList:
        return self.app.chats.query_one(ChatList)

    @property
    def search(self) -> Search:
        return self.app.chats.query_one(Search)

    @property
    def path(self) -> Input:
        """The field of the box that asks for a file."""
        return self.app.screen.query_one(Input)

    @property
    def titles(self) -> list[str]:
        return [row.info.title for row in self.list.rows]

    @property
    def highlighted(self) -> str:
        return self.list.chosen.info.title if self.list.chosen else ""

    @property
    def lines(self) -> list[str]:
        strips = picture(self.app)
        return ["".join(segment.text for segment in strip) for strip in strips]

    @property
    def footer(self) -> str:
        return self.lines[-1]

    def shows(self, text: str) -> bool:
        return text in re.sub(r"\s+", " ", " ".join(self.lines))

    def previews(self, text: str) -> bool:
        """Whether the preview says so; for text of narrow characters."""
        left = self.app.chats.query_one(ChatPreview).region.x
        return text in re.sub(r"\s+", " ", " ".join(line[left + 1 :] for line in self.lines))

    def toasts(self, text: str) -> bool:
        return self.toasted.says(text)

    async def until(self, predicate: Callable[[], bool]) -> None:
        await wait_until(predicate)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.pilot.press(*(character for character in text))

    async def settled(self) -> None:
        """Wait until all that was wished is shown."""
        browser = self.app.chats.query_one(ChatBrowser)
        await self.until(lambda: browser._found is not None and not browser._feed.is_busy)
        await self.pilot.pause()


Scenario = Callable[[Seen], Awaitable[None]]


def look(
    scenario: Scenario, kept: Kept, size: tuple[int, int] = NARROW, current: int | None = None
) -> None:
    """Show the screen at this size and play the scenario."""

    async def run() -> None:
        app = ChatsApp(kept, current)
        async with app.run_test(size=size) as pilot:
            await wait_until(lambda: bool(app.chats.query(ChatList)))
            seen = Seen(app, pilot, kept)
            await seen.settled()
            await scenario(seen)

    asyncio.run(run())
    assert kept.history.close()


__all__ = ["HOUR_S", "NEVER", "NOW", "Kept", "Scenario", "Seen", "look"]
