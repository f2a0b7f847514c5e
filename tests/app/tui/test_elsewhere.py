"""A chat that goes on in two windows tells each what was asked in the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from app.history import History
from app.tui import elsewhere
from tests.app.tui.driving import Chat
from tests.app.tui.keeping import play, questions

TOLD = "asked in another window"


def test_what_another_window_asked_in_the_chat_is_told_once_when_one_asks(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("mine")
        await chat.answered()
        assert not chat.shows(TOLD)
        recorder, history = chat.screen.asking.recorder, chat.screen.history
        assert recorder is not None and recorder.chat is not None and history is not None
        assert history.flush()
        other = History.open(tmp_path / "history.db")
        last = other.chat(recorder.chat).path()[-1].id
        for question in ("theirs", "theirs too"):
            other.add(recorder.chat, last, "user", question)
        assert other.close()
        await chat.ask("again mine")
        await chat.answered(2)
        await chat.until(lambda: chat.shows(f"2 questions were {TOLD}"))
        await chat.ask("and again")
        await chat.answered(3)
        assert chat.shows("In this chat 2 questions")
        assert chat.text.count("In this chat") == 1
        assert questions(chat) == ["mine", "again mine", "and again"]

    play(tmp_path, scenario)


def test_a_chat_that_is_closed_while_it_is_looked_up_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("mine")
        await chat.answered()
        first = chat.screen.talk.transcript
        looks, is_closed = asyncio.Event(), asyncio.Event()

        async def late(look: Callable[[], int]) -> int:
            looks.set()
            await is_closed.wait()
            return 1

        monkeypatch.setattr(elsewhere, "in_thread", late)
        telling = asyncio.create_task(elsewhere.tell_of_others(chat.screen))
        await looks.wait()
        await chat.screen.action_act("close")
        await chat.until(lambda: not first.is_attached)
        notes: list[str] = []

        async def note(text: str) -> None:
            notes.append(text)

        monkeypatch.setattr(first, "note", note)
        is_closed.set()
        await telling
        assert notes == [], "nothing can be put where no chat is"

    play(tmp_path, scenario)
