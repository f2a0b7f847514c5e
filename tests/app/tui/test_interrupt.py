"""Ctrl+C takes away the least that there is: an answer, a selection, a text; the app at last."""

from __future__ import annotations

import pytest

from app.attachments import pasted
from app.tui import interrupt
from app.tui.hints import CODE_HINT, IDLE_HINT, LEAVING_HINT, QUEUE_HINT, STOP_HINT, below
from app.tui.widgets.prompt import Prompt
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

JOIN = words("It joins one or more path segments.")


def test_ctrl_c_clears_the_prompt_and_up_brings_the_text_back() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("half a question")
        await chat.pilot.press("ctrl+c")
        assert (chat.prompt.text, chat.app.is_running) == ("", True)
        assert not chat.shows(LEAVING_HINT)
        await chat.pilot.press("up")
        assert chat.prompt.text == "half a question"

    drive(scenario, FakeEngine())


def test_a_text_goes_before_what_is_pasted_beside_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.attach(pasted("line\n" * 50, 1))
        chat.prompt.insert("about this")
        await chat.pilot.press("ctrl+c")
        assert (chat.prompt.text, len(chat.prompt.attachments)) == ("", 1)
        await chat.pilot.press("ctrl+c")
        assert (chat.prompt.attachments, chat.screen.interrupt.is_armed) == ((), False)

    drive(scenario, FakeEngine())


def test_ctrl_c_leaves_a_question_that_is_edited_as_it_was() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        chat.prompt.insert("typed before")
        await chat.pilot.press("ctrl+e", "ctrl+c")
        assert chat.screen.asking.editing is None
        assert chat.prompt.text == "typed before"

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_one_press_says_that_a_second_quits(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.shows(LEAVING_HINT))
        assert chat.app.is_running
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: not chat.app.is_running)

    drive(scenario, FakeEngine(), size)


def test_what_is_told_of_an_empty_prompt_is_no_typing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        for text, stays in (("", True), ("a", False)):
            chat.prompt.post_message(Prompt.Typed(text))
            await chat.pilot.pause()
            assert chat.screen.interrupt.is_armed == stays

    drive(scenario, FakeEngine())


def test_after_a_while_the_first_press_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "ARMED_S", 0.05)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: not chat.screen.interrupt.is_armed and chat.shows(IDLE_HINT))
        monkeypatch.setattr(interrupt, "ARMED_S", 60.0)
        await chat.pilot.press("ctrl+c")
        assert chat.screen.interrupt.is_armed
        assert chat.app.is_running

    drive(scenario, FakeEngine())


def test_what_is_done_between_two_presses_takes_the_first_one_back() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c", "a", "ctrl+c")
        assert (chat.prompt.text, chat.screen.interrupt.is_armed) == ("", False)
        await chat.pilot.press("ctrl+c")
        assert chat.app.is_running

    drive(scenario, FakeEngine())


def test_ctrl_c_does_nothing_while_an_answer_is_being_stopped_and_esc_restarts_the_engine() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.state == "stopping")
        await chat.pilot.press("ctrl+c", "ctrl+c", "ctrl+c")
        assert (chat.state, chat.engine.closed) == ("stopping", 0)
        assert chat.app.is_running and not chat.screen.interrupt.is_armed
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.engine.closed == 1 and chat.engine.loads == 2)

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2, deaf=True)))


# the line below the prompt


def test_who_types_meanwhile_is_told_that_the_question_waits() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering" and chat.shows(STOP_HINT))
        await chat.pilot.press("n", "o", "w")
        await chat.until(lambda: chat.shows(QUEUE_HINT))
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("1 question waits"))
        await chat.ask("third")
        await chat.until(lambda: chat.shows("2 questions wait"))
        chat.engine.release()
        await chat.answered(3)
        assert not chat.shows("wait ")

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN)))


@pytest.mark.parametrize(("text", "told"), [("```\nls\n```", CODE_HINT), ("No code.", IDLE_HINT)])
def test_after_an_answer_with_code_the_key_that_copies_it_is_named(text: str, told: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: chat.shows(f"{told} ─╯"))
        assert chat.shows("Alt+K") == (told == CODE_HINT)

    drive(scenario, FakeEngine(Answer(words(text))))


def test_where_room_is_scarce_the_length_of_the_question_is_said_alone() -> None:
    assert below("Enter sends", "3 tokens", 26) == "Enter sends · 3 tokens"
    assert below("Enter sends", "3 tokens", 25) == "3 tokens"
    assert below("Enter sends", "", 5) == "Enter sends"
    assert below("", "", 80) == ""


def test_typing_forgets_the_first_press() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        assert chat.screen.interrupt.is_armed
        await chat.pilot.press("x")
        await chat.until(lambda: not chat.screen.interrupt.is_armed)
        await chat.pilot.press("backspace", "ctrl+c")
        assert chat.app.is_running and chat.screen.interrupt.is_armed

    drive(scenario, FakeEngine())
