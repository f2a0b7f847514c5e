"""A conversation keeps what it received, and asks with what was answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from app.chat.conversation import Conversation, Turn
from app.files.attachments import pasted
from engine import (
    Delta,
    EngineDied,
    EngineError,
    Finished,
    PairSettings,
    SamplingSettings,
    Started,
)
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


def sent(engine: FakeEngine, request: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in engine.asked[request]]


async def cut_short(chat: Conversation, question: str) -> Turn:
    with pytest.raises(EngineError):
        await drain(chat.ask(question))
    return chat.turns[-1]


@pytest.mark.parametrize("at", [0, 1, 2, -1])
def test_a_retry_of_a_turn_leaves_those_before_it_and_takes_its_place(at: int) -> None:
    async def run() -> None:
        engine = await loaded(*[Answer(words(f"{n}.")) for n in range(4)])
        chat = Conversation(engine)
        for question in ("a", "b", "c"):
            await drain(chat.ask(question))
        await drain(chat.retry(at))
        place = at % 3
        assert [turn.question for turn in chat.turns] == ["a", "b", "c"][: place + 1]
        assert [turn.answer for turn in chat.turns] == [*["0.", "1.", "2."][:place], "3."]
        assert sent(engine) == sent(engine, place)

    asyncio.run(run())


def test_a_retry_of_one_of_two_equal_turns_leaves_the_other() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN, fail_after=0)))
        for _ in range(2):
            await cut_short(chat, "question")
        assert chat.turns[0] == chat.turns[1]
        with pytest.raises(EngineError):
            await drain(chat.retry())
        assert len(chat.turns) == 2

    asyncio.run(run())


@pytest.mark.parametrize("at", [None, 0, 1, 2])
def test_a_question_asked_in_a_turns_place_is_sent_with_those_before_it_alone(
    at: int | None,
) -> None:
    async def run() -> None:
        engine = await loaded(Answer(words("Yes.")))
        chat = Conversation(engine)
        for question in ("a", "b"):
            await drain(chat.ask(question))
        await drain(chat.ask("c", at=at))
        before = ["a", "b"][:at]
        assert [turn.question for turn in chat.turns] == [*before, "c"]
        assert [text for role, text in sent(engine) if role == "user"] == [*before, "c"]

    asyncio.run(run())


def test_what_was_thought_is_left_out_of_the_next_prompt() -> None:
    async def run() -> None:
        thought = "<think>\nIs it?\n</think>\n\nYes."
        engine = await loaded(Answer(words(thought)), Answer(words("<think>Cut")), Answer(JOIN))
        chat = Conversation(engine)
        for question in ("first", "second", "third"):
            await drain(chat.ask(question))
        assert sent(engine) == [("user", "first"), ("assistant", "Yes."), ("user", "third")]
        assert chat.turns[0].answer == thought

    asyncio.run(run())


def test_attachments_are_sent_with_their_question_then_and_later_and_again() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN))
        chat = Conversation(engine)
        attachment = pasted("line 1\nline 2")
        await drain(chat.ask("What is this?", [attachment]))
        await drain(chat.ask("And?"))
        await drain(chat.retry(0))
        asked = [sent(engine, request)[0][1] for request in range(3)]
        assert asked == [f"What is this?\n\n{attachment.block}"] * 3
        assert chat.turns[0].question == "What is this?"

    asyncio.run(run())


def test_an_answer_whose_engine_the_person_ended_is_cancelled_and_a_defect_is_a_failure() -> None:
    async def run() -> None:
        chat = Conversation(await loaded(Answer(JOIN, die_after=1)))
        with pytest.raises(EngineDied):
            async for event in chat.ask("question"):
                if isinstance(event, Delta):
                    chat.abandon()
        assert (chat.turns[0].reason, chat.turns[0].error) == ("cancelled", "")
        defect: Exception = ValueError("no")
        chat = Conversation(await loaded(Answer(JOIN, fail_after=1, error=defect)))  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            await drain(chat.ask("question"))
        assert (chat.turns[0].reason, chat.turns[0].error) == ("failed", "ValueError: no")

    asyncio.run(run())
