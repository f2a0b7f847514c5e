"""A question that waits can be taken back, and stopping an answer asks nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat.condense import STOPPED
from app.settings.habits import Habits
from app.tui.actions import answering
from app.tui.keys.keymap import DEFAULT
from app.tui.prompting.hints import STOP_BY_CTRL_C, STOP_HINT, _meanwhile
from app.tui.prompting.words import FRAME
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.test_small_terminal import SMALL

JOIN = words("It joins one or more path segments.")
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def slow() -> FakeEngine:
    return FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN))


async def queue(chat: Chat, *questions: str) -> None:
    """Ask these while the first one is being answered."""
    await chat.ask("first")
    await chat.until(lambda: chat.state == "answering")
    for n, question in enumerate(questions, 1):
        await chat.ask(question)
        await chat.until(lambda n=n: chat.screen.session.waiting == n)  # type: ignore[misc]


def questions(chat: Chat) -> list[str]:
    return [view.question for view in chat.turns]


@at_both_sizes
def test_up_in_an_empty_prompt_takes_back_what_was_asked_last(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat, "second", "third")
        await chat.until(lambda: chat.shows("2 questions wait · Up takes one back · Esc stops ─"))
        await chat.pilot.press("up")
        await chat.until(lambda: questions(chat) == ["first", "second"])
        assert chat.prompt.text == "third"
        chat.engine.release()
        await chat.answered(2)

    drive(scenario, slow(), size)


def test_what_is_taken_back_is_changed_and_asked_and_the_answer_goes_on() -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat, "second")
        await chat.pilot.press("up", "!", "enter")
        await chat.until(lambda: questions(chat) == ["first", "second!"])
        assert chat.state == "answering"
        chat.engine.release()
        await chat.answered(2)
        assert chat.engine.cancels == 0
        assert [asked[-1].content for asked in chat.engine.asked] == ["first", "second!"]

    drive(scenario, slow())


def test_up_walks_through_what_was_sent_while_something_is_typed_and_where_nothing_waits() -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat, "second")
        await chat.pilot.press("a", "up")
        assert (chat.prompt.text, chat.screen.session.waiting) == ("second", 1)
        await chat.pilot.press("down", "backspace", "up")
        await chat.until(lambda: chat.screen.session.waiting == 0)
        assert chat.prompt.text == "second"
        await chat.pilot.press("ctrl+u", "up")
        assert chat.prompt.text == "second", "the newest of what was sent"
        await chat.pilot.press("up")
        assert chat.prompt.text == "first"
        chat.engine.release()
        await chat.answered(1)

    drive(scenario, slow())


@at_both_sizes
def test_a_click_on_the_line_takes_it_back_before_what_is_typed(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat, "second")
        await chat.pilot.press(*"typed")
        await chat.until(lambda: any("1 question waits" in line for line in chat.lines))
        row = next(at for at, line in enumerate(chat.lines) if "1 question waits" in line)
        column = chat.lines[row].index("1 question waits")
        await chat.pilot.click(offset=(column + 2, row))
        await chat.until(lambda: questions(chat) == ["first"])
        assert chat.prompt.text == "second\n\ntyped"
        chat.engine.release()
        await chat.answered(1)

    drive(scenario, slow(), size)


@at_both_sizes
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_stopping_an_answer_asks_nothing_of_what_waits(key: str, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat, "second", "third")
        await chat.pilot.press(key)
        await chat.answered(1)
        assert len(chat.engine.asked) == 1
        assert questions(chat) == ["first"]
        assert chat.prompt.text == "second\n\nthird"
        assert chat.toasts("Stopped. The 2 questions that waited are back in the box.")

    drive(scenario, slow(), size)


def test_stopping_an_answer_for_which_nothing_waits_leaves_what_is_typed() -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat)
        await chat.pilot.press(*"typed", "escape")
        await chat.answered(1)
        assert chat.prompt.text == "typed"
        assert not chat.toasts("Stopped")

    drive(scenario, slow())


def test_what_was_asked_while_an_answer_is_being_stopped_is_asked_of_the_new_engine() -> None:
    async def scenario(chat: Chat) -> None:
        await queue(chat)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.state == "stopping")
        await chat.ask("second")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.engine.loads == 2)
        await chat.answered(2)
        assert questions(chat) == ["first", "second"]

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2, deaf=True), Answer(JOIN)))


def test_stopping_does_not_stop_the_answer_of_another_chat_that_has_begun_meanwhile() -> None:
    async def scenario(chat: Chat) -> None:
        session, asking = chat.screen.session, chat.screen.asking
        await queue(chat, "second")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.ask("of another chat")
        await chat.pilot.press("alt+1")
        await chat.until(lambda: session.answering and chat.screen.asking is asking)
        withdraw = asking._withdraw

        async def slowly(key: int) -> None:
            await withdraw(key)
            chat.engine.release()
            await chat.until(lambda: session.shown == "elsewhere")

        asking._withdraw = slowly  # type: ignore[method-assign]
        await answering.stop(chat.screen, "")
        assert (session.state, chat.engine.cancels) == ("answering", 0)
        assert chat.prompt.text == "second"
        await chat.until(lambda: chat.toasts("The question that waited is back"))
        assert not chat.toasts("Stopped")

    drive(scenario, FakeEngine(*[Answer(JOIN, hold_after=2)] * 2))


def test_a_summary_that_waits_and_is_taken_back_is_told_of() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        await chat.ask("second")
        await chat.answered(2)
        await chat.until(lambda: len(chat.engine.asked) == 4)
        await chat.screen.action_act("compact")
        assert chat.screen.session.waiting == 1, "the title is not done yet"
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.toasts(STOPPED))
        assert chat.screen.session.waiting == 0

    title = Answer(JOIN, hold_after=1)
    engine = FakeEngine(Answer(JOIN), title, Answer(JOIN), replace(title, deaf=True))
    drive(scenario, engine, settings=FakeSettings(habits=Habits(titles="model")))


def test_every_line_about_what_waits_has_room() -> None:
    for stop in (STOP_HINT, STOP_BY_CTRL_C):
        for is_typing in (True, False):
            line = DEFAULT.told(_meanwhile(12, is_typing, stop))
            assert "12 questions wait" in line and len(line) <= SMALL[0] - FRAME
