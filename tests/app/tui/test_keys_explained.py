"""A key of an action that makes no sense now says why, unless it edits what is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.small_engine import SmallEngine

JOIN = words("It joins one or more path segments.")
BUSY = "Not while an answer is written: wait for it, or stop it with Esc."
WHOLE = "This answer is complete: ask for what is missing, or Ctrl+R for another one."


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
@pytest.mark.parametrize("key", ["ctrl+r", "ctrl+e", "ctrl+y", "ctrl+x"])
def test_a_key_that_must_wait_for_the_answer_says_so(
    key: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press(key)
        await chat.until(lambda: chat.toasts(BUSY))
        assert chat.is_on_top and chat.state == "answering"

    history = History.open(tmp_path / "history.db")
    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)), size, history=history)


@pytest.mark.parametrize(
    "key, why",
    [
        ("ctrl+y", WHOLE),
        ("alt+left", "There is one version only"),
        ("alt+t", "Nothing was thought before this answer."),
        ("f3", "this start is private (--private). /copy all copies this chat."),
    ],
)
def test_a_key_that_has_nothing_to_do_says_so(key: str, why: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press(key)
        await chat.until(lambda: chat.toasts(why))
        assert len(chat.engine.asked) == 1

    drive(scenario, FakeEngine(Answer(JOIN)))


@pytest.mark.parametrize(
    "question, why",
    [
        ("j k l", "There is no room to go on: the context is full."),
        ("j k l m " * 9, "This question has no answer yet: it does not fit into the context."),
    ],
)
def test_an_answer_without_room_is_not_said_to_be_complete(question: str, why: str) -> None:
    async def scenario(chat: Chat) -> None:
        for n, asked in enumerate(["a b c", "d e f", question], 1):
            await chat.ask(asked)
            await chat.answered(n)
        await chat.until(lambda: chat.screen.full is not None)
        await chat.pilot.press("escape", "ctrl+y")
        await chat.until(lambda: chat.toasts(why))
        assert not chat.toasts(WHOLE)

    brief, long = Answer(words("one two three")), Answer(words("1 2 3 4 5"))
    drive(scenario, SmallEngine(brief, brief, long))


def test_a_key_that_edits_what_is_typed_does_that_and_says_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"word", "home", "ctrl+e", "!", "ctrl+z", "ctrl+y")
        await chat.until(lambda: chat.prompt.text == "word!")
        await chat.pilot.press("escape")
        await chat.pilot.pause()
        assert not list(chat.app._notifications)

    drive(scenario, FakeEngine())
