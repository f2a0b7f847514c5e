"""The figures in sight are those of the chat in sight, and its context is counted where no answer
tells.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app.chat.conversation import Turn
from app.history import History
from app.tui.figures.figures import BUSY, Figures
from app.tui.figures.pace import Pace, Point
from app.tui.figures.shown_figures import follow_answer, last_told
from app.tui.serving.messages import AnswerBegan
from engine import Costs, EngineDied, EngineError, Message
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import ALPHA, FakeModels, settings_of
from tests.app.tui.fakes import READY, Answer, FakeEngine, stats_at, words
from tests.app.tui.small_engine import SmallEngine, tokens
from tests.app.tui.turns.test_full_context import REPLY, play, talk

PACE = Pace((Point(0.0, 0, 0, 0), Point(1.0, 9, 9, 6), Point(2.0, 18, 18, 12)))
LONG = " ".join("a" * 30)


def show_pace(chat: Chat) -> None:
    """Have the answer that was given last have gone so."""
    chat.screen.figures = replace(chat.screen.figures, pace=PACE)


def used(chat: Chat) -> int:
    return chat.screen.figures.context_used


async def go_to(chat: Chat, number: int, n_turns: int) -> None:
    await chat.pilot.press(f"alt+{number}")
    await chat.until(lambda: chat.transcript.display and len(chat.transcript.turns) == n_turns)
    await chat.pilot.pause()


# how it went


def test_how_an_answer_went_is_not_shown_in_another_chat(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.transcript.turns)
        await talk(chat, "b", "c")
        show_pace(chat)
        assert chat.screen.figures.pace.rates
        await go_to(chat, 1, 1)
        assert chat.screen.figures.stats is not None
        assert chat.screen.figures.pace.rates == []

    play(tmp_path, scenario)


def test_a_quick_answer_has_not_the_course_of_the_one_before() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        show_pace(chat)
        await talk(chat, "b")
        assert chat.screen.figures.pace.rates[:1] != PACE.rates[:1]

    drive(scenario, FakeEngine(Answer(words("one"))))


def test_an_answer_elsewhere_leaves_the_course_of_the_one_in_sight(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("a")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.transcript.turns)
        await chat.ask("b")
        await go_to(chat, 1, 1)
        (waiting,) = chat.screen.session.jobs
        show_pace(chat)
        follow_answer(chat.screen, AnswerBegan(waiting.key))
        assert chat.screen.figures.pace == PACE
        chat.engine.release()
        await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")

    play(tmp_path, scenario, Answer(words("one"), hold_after=0), REPLY)


# what is in use


def test_another_pair_counts_what_is_in_use(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a b c")
        assert used(chat) == 6
        chat.engine.count = halved  # type: ignore[attr-defined]
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        await chat.until(lambda: used(chat) == 3)

    async def halved(what: str | Sequence[Message], think: bool | None = None) -> int:
        return tokens(what) // 2 if not isinstance(what, str) else 1

    history = History.open(tmp_path / "history.db")
    drive(
        scenario,
        SmallEngine(REPLY),
        settings=settings_of(ALPHA),
        models=FakeModels(),
        history=history,
    )


@pytest.mark.parametrize("errors", [[None], [None, EngineError("no")]], ids=["other", "back"])
def test_a_pair_that_cannot_count_shows_what_the_last_answer_told(
    errors: list[EngineError | None],
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        told = used(chat)
        assert told
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) > len(errors) and chat.state == "ready")
        await chat.until(lambda: chat.screen.figures.ready is not None)
        assert used(chat) == told

    engine = FakeEngine(load_errors=errors)
    drive(scenario, engine, settings=settings_of(ALPHA), models=FakeModels())


def test_a_turn_without_a_count_leaves_what_is_in_use(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a b c", LONG)
        assert used(chat) == 6
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.transcript.turns)
        assert used(chat) == 0
        await go_to(chat, 1, 2)
        await chat.until(lambda: used(chat) == 6)

    play(tmp_path, scenario)


def test_what_is_left_out_stays_so_on_the_meter(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a b", "c")
        await chat.screen.action_act("leave-out", "1")
        assert used(chat) == 4
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.transcript.turns)
        await go_to(chat, 1, 2)
        await chat.until(lambda: used(chat) == 4)

    play(tmp_path, scenario)


def test_a_chat_is_counted_when_the_answer_elsewhere_has_ended(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a b", "c")
        await chat.screen.action_act("leave-out", "1")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.transcript.turns)
        await chat.ask("d")
        await chat.until(lambda: chat.state == "answering")
        await go_to(chat, 1, 2)
        assert used(chat) == 9  # nobody has time to count
        chat.engine.release()
        await chat.until(lambda: used(chat) == 4)

    play(tmp_path, scenario, REPLY, REPLY, Answer(words("one"), hold_after=0))


def test_an_engine_that_counts_something_else_is_asked_again(tmp_path: Path) -> None:
    busy = [True, True]

    async def sometimes(what: str | Sequence[Message], think: bool | None = None) -> int | None:
        return None if busy and busy.pop() else 5

    async def scenario(chat: Chat) -> None:
        await talk(chat, "a", LONG)
        chat.engine.count = sometimes  # type: ignore[attr-defined]
        chat.screen.show_figures_of(chat.screen.session.conversation.turns[-1])
        await chat.until(lambda: used(chat) == 5)
        assert not busy

    play(tmp_path, scenario)


def test_an_engine_that_dies_of_counting_leaves_the_meter(tmp_path: Path) -> None:
    asked: list[object] = []

    async def dead(what: str | Sequence[Message], think: bool | None = None) -> int:
        asked.append(what)
        raise EngineDied("It ended.")

    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        chat.engine.count = dead  # type: ignore[attr-defined]
        chat.screen.show_figures_of(chat.screen.session.conversation.turns[-1])
        await chat.until(lambda: bool(asked))
        await chat.pilot.pause()
        assert used(chat) == 4 and len(asked) == 1

    play(tmp_path, scenario)


def test_the_last_count_is_that_of_a_turn_that_has_one() -> None:
    turns = [Turn("a", context_used=7), Turn("b", context_used=9), Turn("c"), Turn("d")]
    assert [last_told(turns), last_told(turns[:1]), last_told(turns[2:])] == [9, 7, 0]


# what else


def test_memory_that_is_told_late_takes_no_other_figure_back() -> None:
    asked, told = asyncio.Event(), asyncio.Event()

    async def slow() -> int:
        asked.set()
        await told.wait()
        return 123_000_000

    async def scenario(chat: Chat) -> None:
        chat.screen.gauge.memory = slow  # type: ignore[method-assign]
        chat.engine.release()
        await chat.ready()
        await asked.wait()
        await talk(chat, "a")
        told.set()
        await chat.until(lambda: chat.screen.figures.rss_bytes is not None)
        assert chat.screen.figures.stats is not None and used(chat)

    drive(scenario, FakeEngine(hold_load=True))


def test_costs_of_another_pair_do_not_explain_an_answer(tmp_path: Path) -> None:
    costs = Costs(target_s=[0.1] * 9, draft_s=[0.001] * 8, noise=0.0, kept=True)
    slow = msgspec.structs.replace(stats_at(8), speedup=0.5)
    figures = Figures(msgspec.structs.replace(READY, costs=costs), slow)
    assert (figures.why_slower, replace(figures, is_others=True).why_slower) == (BUSY, None)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        (turn,) = chat.screen.session.conversation.turns
        for pair, is_others in ((turn.pair, False), ("another", True), ("", True)):
            turn.pair = pair
            chat.screen.show_figures_of(turn)
            assert chat.screen.figures.is_others is is_others, pair
        await talk(chat, "b")
        assert not chat.screen.figures.is_others

    play(tmp_path, scenario)
