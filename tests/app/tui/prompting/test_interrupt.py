"""Ctrl+C takes away the least that there is: an answer, a selection, a text; the app at last."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.files.attachments import pasted
from app.history import History
from app.tui.keys.keymap import DEFAULT
from app.tui.keys.sending import named
from app.tui.models.local_models import LocalModels
from app.tui.prompting import hints, interrupt
from app.tui.prompting.hints import LEAVING_HINT
from app.tui.prompting.words import below
from app.tui.widgets.prompt import Prompt
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

JOIN = words("It joins one or more path segments.")
WITH_KEYS = (hints.IDLE_HINT, hints.CODE_HINT, hints.QUEUE_HINT, hints.STOP_HINT)
IDLE_HINT, CODE_HINT, QUEUE_HINT, STOP_HINT = (
    DEFAULT.told(named(text, "send")) for text in WITH_KEYS
)


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
        await chat.pilot.press("alt+up", "ctrl+e", "ctrl+c")
        assert chat.screen.asking.editing is None
        assert chat.prompt.text == "typed before"

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("draft", ["", "typed before"])
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_change_that_is_not_sent_leaves_what_was_typed_before_alone(key: str, draft: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press(*draft, "alt+up", "ctrl+e", "!")
        assert chat.prompt.text == "question!"
        await chat.pilot.press(key)
        assert (chat.screen.asking.editing, chat.prompt.text) == (None, draft)
        await chat.pilot.press("up")
        assert chat.prompt.text == "question!"
        await chat.pilot.press("down")
        assert chat.prompt.text == draft

    drive(scenario, FakeEngine())


def test_a_change_that_is_left_for_another_question_comes_by_up() -> None:
    async def scenario(chat: Chat) -> None:
        for n, question in enumerate(("one", "two"), 1):
            await chat.ask(question)
            await chat.answered(n)
        await chat.pilot.press(*"draft", "alt+up", "ctrl+e", "!", "alt+up", "alt+up", "ctrl+e")
        assert chat.prompt.text == "one"
        await chat.pilot.press("escape")
        assert chat.prompt.text == "draft"
        await chat.pilot.press("up")
        assert chat.prompt.text == "two!"

    drive(scenario, FakeEngine())


def test_a_change_that_is_sent_leaves_the_draft_and_what_was_typed_since() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press(*"typed before", "alt+up", "ctrl+e", "!")
        chat.prompt.send()
        chat.prompt.insert("since")
        await chat.answered()
        assert [view.question for view in chat.turns] == ["question!"]
        assert chat.prompt.text == "typed before\n\nsince"
        assert "since" not in chat.prompt.past.prompts

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
        assert (chat.state, chat.engine.alive) == ("stopping", True)
        assert chat.app.is_running and not chat.screen.interrupt.is_armed
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.engine.loads == 2)

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2, deaf=True)))


@pytest.mark.parametrize("sent", ["a question", "/xray"])
def test_sending_forgets_the_first_press_however_fast_it_was_typed(
    sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt, "ARMED_S", 600.0)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        assert chat.screen.interrupt.is_armed
        chat.prompt.insert(sent)
        chat.prompt.send()
        await chat.until(lambda: not chat.prompt.text and not chat.screen.interrupt.is_armed)
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        assert chat.app.is_running

    drive(scenario, FakeEngine())


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


def test_a_paste_beside_the_box_forgets_the_first_press(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "ARMED_S", 600.0)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.shows(LEAVING_HINT))
        chat.prompt.attach(pasted("line\n" * 60, 1))
        await chat.until(lambda: chat.shows("Pasted text 1") and not chat.shows(LEAVING_HINT))
        assert not chat.screen.interrupt.is_armed
        await chat.pilot.press("backspace", "ctrl+c")
        assert chat.app.is_running and chat.prompt.attachments == ()

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("way", ["/help", "/search", "/settings", "/model", "/doctor", "/log"])
def test_on_every_other_screen_ctrl_c_goes_back_as_esc_does(way: str, tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(way)
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.is_on_top)
        assert not chat.toasts("quit")
        assert chat.app.is_running and not chat.screen.interrupt.is_armed

    history = History.open(tmp_path / "history.db")
    models = LocalModels(argparse.Namespace(), offline=True)
    drive(scenario, FakeEngine(), models=models, history=history)


def test_in_a_field_ctrl_c_copies_what_is_selected_and_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/search paths")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.press("shift+home", "ctrl+c")
        await chat.until(lambda: chat.app.clipboard == "paths")
        await chat.until(lambda: chat.toasts("clipboard") or chat.toasts("Copied"))
        assert not chat.is_on_top
        await chat.pilot.press("end", "ctrl+c")
        await chat.until(lambda: chat.is_on_top)

    drive(scenario, FakeEngine(), history=History.open(tmp_path / "history.db"))
