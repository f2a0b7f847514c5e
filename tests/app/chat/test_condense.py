"""A summary covers what it says it covers, fits, is shorter, and else nothing has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
import pytest

from app.chat.condense import EMPTY, SHARE, STOPPED, TOO_SMALL, Condensing
from app.chat.conversation import Conversation, Turn
from app.chat.sent import IN_SHORT, covered
from engine import Delta, EngineClient, EngineDied, EngineError, Finished, Message, Span, Started
from tests import pair
from tests.app.chat.test_conversation import drain, loaded
from tests.app.tui.fakes import Answer, FakeEngine, words

WORDS = [f"word{n}" for n in range(4000)]


def n_words(messages: Sequence[Message]) -> int:
    return sum(len(message.content.split()) for message in messages)


async def count(messages: Sequence[Message], think: bool | None) -> int:
    """A token is a word here."""
    return n_words(messages)


def turns(n: int, each: int = 20) -> list[Turn]:
    """Return turns of so many words each, no two alike."""
    step = each // 2
    cut = [WORDS[at : at + step] for at in range(0, 2 * n * step, step)]
    pairs = zip(cut[::2], cut[1::2], strict=True)
    return [Turn(" ".join(q), answer=" ".join(a), reason="stop") for q, a in pairs]


def condensed(
    engine_answers: Sequence[Answer],
    said: list[Turn],
    n: int,
    n_ctx: int = 1000,
) -> tuple[Conversation, FakeEngine, Condensing]:
    """Have a summary made of the n oldest turns."""

    async def run() -> tuple[Conversation, FakeEngine, Condensing]:
        engine = await loaded(*engine_answers)
        talk = Conversation(engine, "Be kind.")
        talk.turns = said
        job = Condensing(talk, n, n_ctx, count)
        async for _ in job.do():
            pass
        return talk, engine, job

    return asyncio.run(run())


def test_the_summary_is_sent_in_the_system_message_in_the_place_of_its_turns() -> None:
    said = turns(4)
    talk, _, job = condensed([Answer(words("They like tea."))], said, 3)
    system, question, answer = talk.messages()
    assert system.content == f"Be kind.\n\n{IN_SHORT}\nThey like tea."
    assert (question.content, answer.content) == (said[3].question, said[3].answer)
    assert (job.problem, talk.left_out) == ("", 3)
    assert (job.before, job.after) == (2 + 80, n_words(talk.messages()))


def test_it_is_asked_for_without_thinking_at_temperature_0_and_within_its_share() -> None:
    talk, engine, _ = condensed([Answer(words("Tea."))], turns(3), 2, 800)
    assert [sampling.temperature for sampling in engine.samplings] == [0.0]
    assert (engine.thinks, engine.predicts) == ([False], [800 // SHARE])
    (asked,) = engine.asked
    told = asked[0].content
    assert [message.role for message in asked] == ["user"]
    assert all(turn.question in told and turn.answer in told for turn in talk.turns[:2])
    assert talk.turns[2].question not in told


@pytest.mark.parametrize("n_ctx", (200, 300, 500, 3000))
def test_what_does_not_fit_goes_in_pieces_that_fit_and_leave_out_no_word(n_ctx: int) -> None:
    parts = [Answer(words(f"Summary {n}.")) for n in range(99)]
    talk, engine, job = condensed(parts, turns(21, 40), 20, n_ctx)
    asked = [messages[0].content for messages in engine.asked]
    assert all(len(told.split()) <= n_ctx - n_ctx // SHARE for told in asked)
    sent = " ".join(asked).split()
    assert [word for word in sent if word in WORDS[:800]] == WORDS[:800]
    for before, told in enumerate(asked[1:]):
        assert f"Earlier summary:\nSummary {before}." in told
    assert (len(asked) > 1) == (n_ctx < 1000)
    assert (talk.turns[19].summary, job.problem) == (f"Summary {len(asked) - 1}.", "")


def test_a_turn_larger_than_the_context_is_cut_between_words() -> None:
    said = [Turn(" ".join(WORDS[:900]), answer="ok", reason="stop"), *turns(1)]
    _, engine, job = condensed([Answer(words("Long."))], said, 1, 300)
    sent = " ".join(messages[0].content for messages in engine.asked).split()
    assert [word for word in sent if word in WORDS[:900]] == WORDS[:900]
    assert (job.problem, len(engine.asked) > 3) == ("", True)


def test_an_earlier_summary_is_folded_in_and_its_turns_are_not_read_again() -> None:
    said = turns(5)
    said[1].summary = "They like tea."
    talk, engine, _ = condensed([Answer(words("Tea and cake."))], said, 4)
    told = engine.asked[0][0].content
    assert "Earlier summary:\nThey like tea." in told
    assert said[0].question not in told and said[2].question in told
    assert covered(talk.turns) == 4
    assert "Tea and cake." in talk.messages()[0].content
    assert "They like tea." not in talk.messages()[0].content


def test_a_branch_that_begins_before_the_covered_turns_has_no_summary() -> None:
    talk, _, _ = condensed([Answer(words("Tea."))], turns(5), 4)
    talk.turns = talk.turns[:2]
    assert (talk.left_out, talk.messages()[0].content) == (0, "Be kind.")
    assert len(talk.messages()) == 5


def test_a_summary_that_was_cut_off_ends_with_its_last_whole_sentence() -> None:
    class Cut(FakeEngine):
        def _finished(self, request: int, given: Sequence[Span]) -> Finished:
            return msgspec.structs.replace(super()._finished(request, given), reason="length")

    async def run() -> str:
        engine = Cut(Answer(words("Tea is 4.50 a cup. They owe 3.5")))
        engine.alive = True
        talk = Conversation(engine)
        talk.turns = turns(3)
        async for _ in Condensing(talk, 2, 1000, count).do():
            pass
        return talk.turns[1].summary

    assert asyncio.run(run()) == "Tea is 4.50 a cup."


@pytest.mark.parametrize(
    ("answer", "problem"),
    (
        (Answer(words(" ")), EMPTY),
        (Answer(words("<think>Hmm, tea")), EMPTY),
        (Answer(words(" ".join(WORDS[:60]))), "The summary came out no shorter than the turns;"),
        (
            Answer(words("Tea."), fail_after=1, error=EngineError("No room.")),
            "There is no summary: No",
        ),
    ),
)
def test_what_is_of_no_use_changes_nothing_and_says_so(answer: Answer, problem: str) -> None:
    said = turns(3)
    said[0].summary = "Before."
    talk, _, job = condensed([answer], said, 2)
    assert job.problem.startswith(problem)
    assert [turn.summary for turn in talk.turns] == ["Before.", "", ""]


def test_a_context_without_room_for_a_word_says_so() -> None:
    talk, engine, job = condensed([Answer(words("Tea."))], turns(3), 2, 16)
    assert (job.problem, engine.asked) == (TOO_SMALL, [])
    assert talk.left_out == 0


@pytest.mark.parametrize("part", (1, 2))
def test_one_that_is_stopped_changes_nothing(part: int) -> None:
    async def run() -> tuple[Conversation, str]:
        engine = await loaded(Answer(words("Tea. And cake.")))
        talk = Conversation(engine)
        talk.turns = turns(21, 40)
        job = Condensing(talk, 20, 500, count)
        async for event in job.do():
            if isinstance(event, Delta) and event.id == part:
                await engine.cancel()
        return talk, job.problem

    talk, problem = asyncio.run(run())
    assert problem == STOPPED
    assert not any(turn.summary for turn in talk.turns)


@pytest.mark.parametrize(("n_turns", "parts"), ((3, [""]), (21, ["part 1: ", "part 2: "])))
def test_how_far_it_is_is_told(n_turns: int, parts: list[str]) -> None:
    async def run() -> list[str]:
        engine = await loaded(Answer(words("Tea. And cake.")))
        talk = Conversation(engine)
        talk.turns = turns(n_turns, 40)
        job = Condensing(talk, n_turns - 1, 500, count)
        return [job.how_far async for _ in job.do()]

    told = asyncio.run(run())
    steps = ["reading 24 tokens…", "1 word so far", "2 words so far", "3 words so far"]
    seen = list(dict.fromkeys(told))
    assert seen[: 4 * len(parts)] == [part + step for part in parts for step in steps]
    assert bool(seen[4 * len(parts) :]) == (parts != [""]), "as many parts as it takes"


def test_when_the_engine_dies_nothing_has_changed_and_the_session_is_told() -> None:
    async def run() -> tuple[Conversation, Condensing]:
        engine = await loaded(Answer(words("Tea. And cake."), die_after=2))
        talk = Conversation(engine)
        talk.turns = turns(4)
        job = Condensing(talk, 3, 500, count)
        with pytest.raises(EngineDied):
            async for _ in job.do():
                pass
        return talk, job

    talk, job = asyncio.run(run())
    assert "SIGSEGV" in job.problem
    assert not any(turn.summary for turn in talk.turns)


def test_a_cut_answer_that_goes_on_has_no_summary_any_more() -> None:
    async def run() -> Conversation:
        talk = Conversation(await loaded(Answer(words(" more"))))
        talk.turns = turns(3)
        talk.turns[2].summary = "All of it."
        async for _ in talk.go_on():
            pass
        return talk

    talk = asyncio.run(run())
    assert [turn.summary for turn in talk.turns] == ["", "", ""]
    assert len(cast(FakeEngine, talk._engine).asked[0]) == 6


@pytest.mark.parametrize("n_ctx", (300, 1024))
def test_the_real_engine_gets_what_fits_and_reads_as_many_tokens_as_was_said(
    n_ctx: int, tmp_path: Path
) -> None:
    async def run() -> None:
        engine = EngineClient(tmp_path / "engine.log")
        try:
            await pair.load(engine, pair.pair(n_ctx=n_ctx))
            talk = Conversation(engine, "You know Python.", predict=16)
            for question in ("list", "dict", "set", "tuple", "str", "int"):
                await drain(talk.ask(f"What is a {question}?"))
            talk.turns += [Turn("And why?", reason="too long")]
            job = Condensing(talk, 6, n_ctx, engine.count)
            began = [event for event in await drain(job.do()) if isinstance(event, Started)]
            asked = [event for event in began if not event.read_tokens]
            assert all(event.prompt_tokens + n_ctx // SHARE <= n_ctx for event in asked)
            assert (job.problem, len(asked) > 1) == ("", n_ctx == 300)
            assert job.after < job.before
            started = (await drain(talk.retry()))[0]
            assert isinstance(started, Started)
            assert started.prompt_tokens == job.after
        finally:
            await engine.close()

    asyncio.run(run())
