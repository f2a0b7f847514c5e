"""An engine that dies takes nothing with it."""

from __future__ import annotations

from contextlib import suppress

import pytest

from engine import EngineDied
from tests.app.tui.driving import SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins path components with one separator between them.")


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_death_keeps_the_text_says_why_and_restarts_the_engine(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.until(lambda: chat.shows("The engine runs again."))
        assert chat.shows(whole(JOIN[:4]).strip())
        assert chat.shows("SIGSEGV")
        assert chat.shows("assertion failed")
        await chat.ask("next")
        await chat.answered(2)
        assert chat.shows(whole(JOIN))
        assert chat.engine.asked[1][1].content == whole(JOIN[:4])

    drive(scenario, FakeEngine(Answer(JOIN, die_after=4), Answer(JOIN)), size)


def test_a_second_death_in_a_row_leaves_the_engine_down_until_asked() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.ask("second")
        await chat.until(lambda: chat.state == "down")
        await chat.until(lambda: chat.shows("start the engine again"))
        assert chat.engine.loads == 2
        await chat.ask("third")
        await chat.until(lambda: chat.engine.loads == 3)
        await chat.answered(3)
        assert chat.shows(whole(JOIN))

    deadly = Answer(JOIN, die_after=2)
    drive(scenario, FakeEngine(deadly, deadly, Answer(JOIN)))


def test_a_finished_answer_earns_another_restart() -> None:
    async def scenario(chat: Chat) -> None:
        for number, loads in ((1, 2), (2, 2), (3, 3)):
            await chat.ask(f"question {number}")
            await chat.answered(number)
            await chat.until(lambda loads=loads: chat.engine.loads == loads)  # type: ignore[misc]
            await chat.ready()
            assert chat.engine.loads == loads

    deadly = Answer(JOIN, die_after=2)
    drive(scenario, FakeEngine(deadly, Answer(JOIN), deadly, Answer(JOIN)))


def test_a_question_without_a_word_of_an_answer_is_asked_again_after_the_restart() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        await chat.answered()
        assert chat.shows(whole(JOIN))
        assert len(chat.turns) == 1

    drive(scenario, FakeEngine(Answer(JOIN, die_after=0), Answer(JOIN)))


async def settled(chat: Chat) -> None:
    """Let the engine be loaded, and do what waits for that."""
    chat.engine.release()
    await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
    for _ in range(6):
        await chat.pilot.pause()


async def dead(chat: Chat) -> None:
    """Ask what the engine dies of, and wait until another one is being loaded."""
    chat.engine.release()
    await chat.ready()
    await chat.ask("question")
    await chat.until(lambda: chat.engine.loads == 2 and chat.turns[0].over)


def test_a_question_whose_chat_is_closed_while_the_engine_starts_is_not_asked_again() -> None:
    async def scenario(chat: Chat) -> None:
        await dead(chat)
        await chat.screen.action_act("close")
        await chat.until(lambda: not chat.turns)
        assert chat.state == "loading"
        await settled(chat)
        assert len(chat.engine.asked) == 1 and chat.state == "ready"

    drive(scenario, FakeEngine(Answer(JOIN, die_after=0), Answer(JOIN), hold_load=True))


def test_a_question_that_is_repeated_while_the_engine_starts_is_asked_once() -> None:
    async def scenario(chat: Chat) -> None:
        await dead(chat)
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await settled(chat)
        await chat.answered()
        assert [one[-1].content for one in chat.engine.asked] == ["question"] * 2
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN, die_after=0), Answer(JOIN), hold_load=True))


def test_a_question_that_was_stopped_before_the_engine_died_is_not_asked_again() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering" and bool(chat.engine.asked))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.state == "stopping")
        await chat.engine.close()
        await settled(chat)
        assert len(chat.engine.asked) == 1 and chat.state == "ready"

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=0, deaf=True), Answer(JOIN)))


def test_waiting_questions_outlive_a_restart() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: len(chat.turns) == 2)
        await chat.engine.close()
        await chat.answered(2)
        assert chat.engine.asked[-1][-1].content == "second"
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN)))


def test_why_a_question_waits_is_said_anew_when_that_changes() -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering" and chat.shows("It"))
        await chat.ask("second")
        await chat.until(lambda: chat.shows("next, when this answer is done"))
        await chat.engine.close()
        await chat.until(lambda: chat.state == "loading")
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        assert not chat.shows("next, when this answer is done")
        chat.engine.release()
        await chat.answered(2)
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.ask("third")
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        assert chat.state == "loading"
        chat.engine.release()
        await chat.answered(3)

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN), hold_load=True), WIDE)


def test_a_second_escape_replaces_an_engine_that_does_not_stop() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.state == "stopping")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.until(lambda: chat.shows("stopped"))
        assert chat.shows(whole(JOIN[:4]).strip())
        assert not chat.shows("SIGKILL")

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=4, deaf=True)))


class Late(FakeEngine):
    """Has finished its answer when it is ended."""

    async def _hold(self, deaf: bool = False) -> None:
        with suppress(EngineDied):
            await super()._hold(deaf)


def test_a_second_escape_as_the_answer_ends_leaves_an_engine_that_runs() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.state == "stopping")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.turns[0].over)
        await chat.ready()
        assert chat.engine.alive and chat.engine.loads == 2
        await chat.ask("next")
        await chat.answered(2)
        assert len(chat.engine.asked) == 2

    drive(scenario, Late(Answer(JOIN, hold_after=4, deaf=True), Answer(JOIN)))


def test_a_death_while_nobody_asks_is_told_and_the_engine_started_again_by_itself() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        chat.engine.kill()
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.until(lambda: chat.shows("SIGKILL") and chat.shows("The engine runs again."))
        assert chat.shows("engine.log. It starts again;")
        await chat.ask("second")
        await chat.answered(2)

    drive(scenario, FakeEngine(Answer(JOIN)))


def test_an_engine_that_dies_again_while_idle_stays_down_until_asked() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.engine.kill()
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        chat.engine.kill()
        await chat.until(lambda: chat.state == "down" and chat.shows("engine stopped"))
        assert chat.engine.loads == 2
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.loads == 3

    drive(scenario, FakeEngine(Answer(JOIN)))
