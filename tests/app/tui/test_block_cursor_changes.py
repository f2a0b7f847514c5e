"""The cursor over the blocks of an answer that grows, becomes shorter, or goes meanwhile."""

from __future__ import annotations

import pytest

from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_block_cursor import asked, marked, source, stepping
from tests.app.tui.text.test_shown_blocks import ANSWER, QUOTATION


def test_the_cursor_is_on_an_answer_that_is_written_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("how?")
        await chat.until(lambda: chat.shows("It joins"))
        await stepping(chat)
        await chat.pilot.press("G", "y")
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == "It **joins** "
        chat.engine.release()
        await chat.until(lambda: chat.turns[0].over)
        await chat.pilot.press("G", "y")
        await chat.until(lambda: chat.app.clipboard == QUOTATION)
        assert source(chat) == QUOTATION

    drive(scenario, FakeEngine(Answer(words(ANSWER), hold_after=3)), WIDE)


@pytest.mark.parametrize(
    ("becomes", "key"),
    [("gone", "j"), ("gone", "y"), ("emptied", "G"), ("emptied", "y"), ("emptied", "enter")],
)
def test_where_the_answer_is_gone_meanwhile_a_key_goes_back_to_the_chat(
    becomes: str, key: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        [view] = chat.turns
        await (chat.transcript.remove_turn(view) if becomes == "gone" else view.begin())
        await chat.pilot.press(key)
        await chat.until(lambda: chat.is_on_top)
        assert marked(chat) == [] and chat.app.clipboard == ""

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_in_an_answer_that_becomes_shorter_the_cursor_is_on_its_last_block() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("how?")
        await chat.until(lambda: chat.shows("Three."))
        await stepping(chat)
        await chat.pilot.press("G")
        chat.engine.release()
        await chat.until(lambda: chat.turns[0].over)
        await chat.pilot.press("y")
        await chat.until(lambda: chat.app.clipboard == "Short.")
        assert source(chat) == "Short."

    text = "One.\n\nTwo.\n\nThree. So </think>Short."
    drive(scenario, FakeEngine(Answer(words(text), hold_after=2)), WIDE)
