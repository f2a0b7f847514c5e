"""An answer that was cut is gone on with where it ends."""

from __future__ import annotations

import asyncio

import pytest

from app.chat.conversation import Conversation
from app.chat.sent import TORN
from engine import EngineDied, Span
from tests.app.chat.test_conversation import JOIN, cut_short, drain, loaded, sent
from tests.app.tui.fakes import Answer, whole, words


def test_going_on_sends_the_begun_answer_last_and_keeps_its_text_and_spans() -> None:
    async def run() -> None:
        engine = await loaded(Answer(words("One.")), Answer(JOIN, fail_after=3), Answer(JOIN[3:]))
        chat = Conversation(engine)
        await drain(chat.ask("first"))
        turn = await cut_short(chat, "second")
        await drain(chat.go_on())
        assert sent(engine) == [*sent(engine, 1), ("assistant", whole(JOIN[:3]))]
        assert chat.turns[1:] == [turn]
        assert (turn.answer, turn.reason, turn.error) == (whole(JOIN), "stop", "")
        assert turn.spans == JOIN

    asyncio.run(run())


def test_going_on_that_fails_keeps_all_that_was_received() -> None:
    async def run() -> None:
        answers = (Answer(JOIN, fail_after=2), Answer(JOIN[2:], die_after=1))
        chat = Conversation(await loaded(*answers))
        turn = await cut_short(chat, "question")
        with pytest.raises(EngineDied):
            await drain(chat.go_on())
        assert (turn.answer, turn.reason) == (whole(JOIN[:3]), "failed")
        assert turn.spans == JOIN[:3]

    asyncio.run(run())


def test_going_on_without_a_word_of_an_answer_asks_the_question() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN, fail_after=0), Answer(JOIN))
        chat = Conversation(engine)
        await cut_short(chat, "question")
        await drain(chat.go_on())
        assert sent(engine) == [("user", "question")]
        assert [turn.answer for turn in chat.turns] == [whole(JOIN)]

    asyncio.run(run())


def test_going_on_sends_what_was_thought_and_drops_half_a_character() -> None:
    async def run() -> None:
        torn = [Span("<think>Well.</think>caf", "lookup"), Span(TORN, "plain")]
        engine = await loaded(Answer(torn, fail_after=2), Answer(words("é.")))
        chat = Conversation(engine)
        turn = await cut_short(chat, "question")
        await drain(chat.go_on())
        assert sent(engine)[-1] == ("assistant", "<think>Well.</think>caf")
        assert turn.answer == whole(turn.spans) == "<think>Well.</think>café."

    asyncio.run(run())


def test_going_on_without_a_turn_is_an_index_error() -> None:
    async def run() -> None:
        with pytest.raises(IndexError):
            Conversation(await loaded()).go_on()

    asyncio.run(run())
