"""What is sent is meant for the chat that was in sight then, however busy the screen is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.last import read_last
from app.tui.chats.unsent import unsent
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.chats.test_tabs import play, press, questions
from tests.app.tui.driving import Chat


@asynccontextmanager
async def busy(chat: Chat) -> AsyncIterator[None]:
    """Have the screen look at nothing that is sent to it."""
    begun, over = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        begun.set()
        await over.wait()

    chat.screen.call_later(hold)
    await begun.wait()
    try:
        yield
    finally:
        over.set()


def send(chat: Chat, typed: str) -> None:
    chat.prompt.insert(typed)
    chat.prompt.send()


async def two(chat: Chat) -> None:
    """Have two chats open; the second is in sight."""
    await chat.ready()
    await chat.ask("one")
    await chat.answered()
    await press(chat, "ctrl+n")


async def go(chat: Chat) -> None:
    await chat.screen.tabs.show(chat.screen.tabs.open.beside(1))


def test_a_question_is_asked_in_the_chat_in_which_it_was_sent(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        async with busy(chat):
            send(chat, "second")
            await go(chat)
            assert questions(chat) == ["one"]
        await press(chat, "alt+2", "second")
        await chat.answered()
        await press(chat, "alt+1", "one")

    play(tmp_path, scenario)


def test_a_command_is_not_done_in_another_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        async with busy(chat):
            send(chat, "/undo")
            await go(chat)
        await chat.until(lambda: chat.toasts("/undo is not done"))
        assert questions(chat) == ["one"]

    play(tmp_path, scenario)


def test_a_change_that_was_sent_comes_back_into_its_own_box(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.ask("two")
        await chat.answered()
        await chat.pilot.press("ctrl+e")
        async with busy(chat):
            chat.prompt.text = ""
            send(chat, "two changed")
            await go(chat)
        await chat.until(lambda: chat.toasts("What you changed is back in its box"))
        assert questions(chat) == ["one"] and not chat.prompt.text
        await chat.pilot.press("alt+2")
        await chat.until(lambda: chat.prompt.text == "two changed")

    play(tmp_path, scenario)


def test_what_was_sent_in_a_chat_that_is_closed_is_brought_by_up_alone(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        async with busy(chat):
            send(chat, "second")
            assert "second" in unsent(chat.screen, chat.screen.tabs.open.current).texts
            await chat.screen.tabs.close(chat.screen.tabs.open.current)
        await chat.until(lambda: questions(chat) == ["one"])
        await chat.pilot.pause()
        assert len(chat.engine.asked) == 1 and "second" in chat.prompt.past.prompts

    play(tmp_path, scenario)


def test_who_quits_before_a_question_is_asked_finds_it_in_the_box(tmp_path: Path) -> None:
    async def quits(chat: Chat) -> None:
        await chat.ready()
        async with busy(chat):
            send(chat, "second")
            resuming = chat.screen._resuming
            assert resuming is not None
            resuming.close()
            assert [each.text for each in read_last(tmp_path / "last.json").unsent] == ["second"]
        await chat.answered()

    start(tmp_path, quits)
