"""Drives a chat that keeps what was chosen for it, start after start in one folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from app.history import Chat as Kept
from app.history import History
from app.last import read_last
from app.settings.rows import Value
from app.tui.chat_parts import ChatParts
from tests.app.tui.branching import NUMBERS
from tests.app.tui.chats.test_resuming import Watched
from tests.app.tui.driving import NARROW, Chat, Scenario, app_of, opened
from tests.app.tui.fakes import SAMPLING, FakeEngine, FakeSettings, wait_until

USUAL = SAMPLING.temperature


def play(
    folder: Path,
    scenario: Scenario,
    settings: FakeSettings | None = None,
    said: Mapping[str, Value | None] | None = None,
) -> None:
    """Start the app with what it kept in this folder, and play. said: by flags of this start."""
    history = History.open(folder / "history.db")
    path = folder / "last.json"
    engine = FakeEngine(*NUMBERS)

    async def run() -> None:
        resuming = Watched(path, read_last(path))
        parts = ChatParts(
            engine,
            settings or FakeSettings(),
            history=history,
            resuming=resuming,
            flag_choice=said or {},
        )
        app = app_of(parts)
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, engine)
            await wait_until(lambda: resuming.is_over)
            await chat.ready()
            await scenario(chat)
            engine.release()

    asyncio.run(run())


def questions(chat: Chat) -> list[str]:
    return [view.question for view in chat.turns]


async def do(chat: Chat, *commands: str) -> None:
    for command in commands:
        name, _, argument = command.removeprefix("/").partition(" ")
        await chat.screen.action_act(name, argument)


async def ask(chat: Chat, question: str) -> tuple[str, float]:
    """Ask, and return the system prompt and the temperature that the engine got."""
    n = len(chat.turns)
    await chat.ask(question)
    await chat.answered(n + 1)
    first = chat.engine.asked[-1][0]
    system = first.content if first.role == "system" else ""
    return system, chat.engine.samplings[-1].temperature


async def show(chat: Chat, key: str, *shown: str) -> None:
    await chat.pilot.press(key)
    await chat.until(lambda: questions(chat) == list(shown))


async def from_list(chat: Chat, question: str) -> None:
    """Open a chat from F3 by what it is called."""
    await chat.pilot.press("f3")
    await chat.until(lambda: not chat.is_on_top and chat.shows("chats"))
    await chat.pilot.press(*question)
    await chat.until(lambda: chat.shows("1 found") or chat.shows("1 chat"))
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.is_on_top and questions(chat)[:1] == [question])


async def two(chat: Chat) -> None:
    """Have chats A and B open, each with what was chosen for it."""
    await do(chat, "/system A", "/temp 0.3")
    assert await ask(chat, "alpha") == ("A", 0.3)
    await do(chat, "/system A, changed")
    await show(chat, "ctrl+n")
    await do(chat, "/system B", "/temp 1.1")
    assert await ask(chat, "beta") == ("B", 1.1)


def kept(chat: Chat) -> Kept:
    """Return what is on the disk of the chat that is shown."""
    history, number = chat.screen.history, chat.screen.tabs.open.current.number
    assert history is not None and number is not None and history.flush()
    return history.chat(number)
