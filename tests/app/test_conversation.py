"""A conversation keeps what it received, and asks with what was answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from app.conversation import Conversation
from engine import Delta, EngineDied, EngineError, Finished, PairSettings, SamplingSettings, Started
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins paths with one separator.")
PAIR = PairSettings(target="target.gguf")


async def loaded(*answers: Answer) -> FakeEngine:
    engine = FakeEngine(*answers)
    async for _ in engine.load(PAIR):
        pass
    return engine


async def drain(
    events: AsyncGenerator[Started | Delta | Finished, None],
) -> list[Started | Delta | Finished]:
    return [event async for event in events]


def contents(chat: Conversation) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in chat.messages()]


def test_a_finished_turn_holds_answer_reason_figures_and_spans() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN))
        chat = Conversation(engine, sampling=SamplingSettings(seed=3))
        events = await drain(chat.ask("What does os.path.join do?"))
        (turn,) = chat.turns
        finished = events[-1]
        assert isinstance(events[0], Started)
        assert isinstance(finished, Finished)
        assert turn.answer == finished.text == whole(JOIN)
        assert (turn.reason, turn.stats, turn.seed) == ("stop", finished.stats, 3)
        assert turn.spans == list(JOIN)

    asyncio.run(run())


def test_the_next_prompt_holds_system_and_answered_turns_in_order() -> None:
    async def run() -> None:
        engine = await loaded(Answer(words("One.")), Answer(words("Two.")))
        chat = Conversation(engine, system="Be brief.")
        await drain(chat.ask("first"))
        await drain(chat.ask("second"))
        assert [(m.role, m.content) for m in engine.asked[1]] == [
            ("system", "Be brief."),
            ("user", "first"),
            ("assistant", "One."),
            ("user", "second"),
        ]

    asyncio.run(run())


def test_a_death_keeps_what_was_received() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN, die_after=2)))
        with pytest.raises(EngineDied):
            await drain(chat.ask("question"))
        (turn,) = chat.turns
        assert turn.answer == whole(JOIN[:2])
        assert turn.reason == "failed"
        assert "SIGSEGV" in turn.error
        assert turn.stats is not None
        assert contents(chat) == [("user", "question"), ("assistant", whole(JOIN[:2]))]

    asyncio.run(run())


def test_a_turn_without_answer_text_is_left_out_of_the_next_prompt() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN, fail_after=0), Answer(words("Yes."))))
        with pytest.raises(EngineError):
            await drain(chat.ask("too long"))
        await drain(chat.ask("short"))
        assert len(chat.turns) == 2
        assert contents(chat) == [("user", "short"), ("assistant", "Yes.")]

    asyncio.run(run())


def test_a_cancelled_answer_keeps_its_text() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN, hold_after=3))
        chat = Conversation(engine)
        async for event in chat.ask("question"):
            if isinstance(event, Delta) and len(chat.turns[0].spans) == 3:
                await engine.cancel()
        assert chat.turns[0].reason == "cancelled"
        assert chat.turns[0].answer == whole(JOIN[:3])

    asyncio.run(run())


def test_an_answer_that_is_abandoned_counts_as_cancelled() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN)))
        events = chat.ask("question")
        async for event in events:
            if isinstance(event, Delta):
                break
        assert chat.turns[0].reason is None
        await events.aclose()
        assert chat.turns[0].reason == "cancelled"
        assert chat.turns[0].answer == whole(JOIN[:1])

    asyncio.run(run())


def test_a_retry_replaces_the_last_turn_and_its_prompt_lacks_it() -> None:
    async def run() -> None:
        engine = await loaded(Answer(words("One.")), Answer(words("Two.")), Answer(words("Three.")))
        chat = Conversation(engine, sampling=SamplingSettings(seed=5))
        await drain(chat.ask("first"))
        await drain(chat.ask("second"))
        await drain(chat.retry())
        assert [turn.answer for turn in chat.turns] == ["One.", "Three."]
        assert engine.asked[2] == engine.asked[1]

    asyncio.run(run())


def test_a_whole_answer_is_retried_with_another_seed_and_a_cut_one_with_its_own() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN), Answer(JOIN, fail_after=1), Answer(JOIN))
        chat = Conversation(engine, sampling=SamplingSettings(seed=5))
        await drain(chat.ask("question"))
        with pytest.raises(EngineError):
            await drain(chat.retry())
        await drain(chat.retry())
        assert [sampling.seed for sampling in engine.samplings] == [5, 6, 6]

    asyncio.run(run())


def test_clearing_forgets_every_turn() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN)), system="Be brief.")
        await drain(chat.ask("question"))
        chat.clear()
        assert contents(chat) == [("system", "Be brief.")]
        with pytest.raises(IndexError):
            chat.retry()

    asyncio.run(run())
