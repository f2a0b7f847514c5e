"""Versions of questions and answers: made, walked between, gone on with, taken back, reopened."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.attachments import Attachment, pasted
from app.tui.actions import ACTIONS
from tests.app.recorded import opened
from tests.app.tui.branching import NUMBERS, act, answers, check, play, talk, walked
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, whole, words

JOIN = words("It joins paths with one separator.")
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@at_both_sizes
def test_an_edited_question_takes_its_place_and_both_are_walked_between(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await chat.pilot.press("alt+up", "alt+up", "ctrl+e")
        assert chat.prompt.text == "first"
        await chat.pilot.press("!", "enter")
        await chat.answered(1)
        assert [view.question for view in chat.turns] == ["first!"]
        assert chat.engine.asked[-1][0].content == "first!" and len(chat.engine.asked[-1]) == 1
        assert chat.shows("question 2 of 2")
        check(chat)
        await walked(chat, "alt+left", "0", "1")
        assert chat.shows("question 1 of 2")
        await walked(chat, "alt+left", "0", "1")
        await walked(chat, "alt+right", "2")
        await walked(chat, "alt+right", "2")

    play(tmp_path, scenario, size=size)


@at_both_sizes
def test_a_question_asked_again_has_both_answers(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        await walked(chat, "alt+left", "0")
        assert chat.shows("answer 1 of 2")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["2"] and chat.state == "ready")
        assert chat.shows("answer 3 of 3")
        assert len({sampling.seed for sampling in chat.engine.samplings}) == 3

    play(tmp_path, scenario, size=size)


@at_both_sizes
def test_a_chosen_turn_is_asked_again_in_its_place_and_is_seen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *(f"question {n}" for n in range(6)))
        await chat.pilot.press(*["alt+up"] * 9)
        first = chat.turns[0]
        assert chat.transcript.selected is first
        await chat.until(lambda: chat.shows("question 0"))
        await chat.pilot.press("alt+down")
        assert chat.transcript.selected is chat.turns[1]
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["0", "6"] and chat.state == "ready")
        check(chat)
        await walked(chat, "alt+left", "0", "1", "2", "3", "4", "5")

    play(tmp_path, scenario, size=size)


def test_walking_keeps_to_the_turn_that_is_chosen(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        await talk_on(chat, "second")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["1", "3"] and chat.state == "ready")
        await chat.pilot.press("alt+up", "alt+up")
        await walked(chat, "alt+left", "0")
        assert chat.transcript.selected is chat.turns[0]
        await walked(chat, "alt+right", "1", "3")
        assert chat.transcript.selected is chat.turns[0]
        await walked(chat, "alt+left", "0")
        await chat.pilot.press("escape")
        assert chat.transcript.selected is None

    async def talk_on(chat: Chat, question: str) -> None:
        await chat.ask(question)
        await chat.answered(2)

    play(tmp_path, scenario)


def test_without_a_choice_one_key_reaches_every_version(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["0", "2"] and chat.state == "ready")
        await chat.pilot.press("alt+up", "alt+up", "ctrl+r", "escape")
        await chat.until(lambda: answers(chat) == ["3"] and chat.state == "ready")
        await walked(chat, "alt+left", "0", "2")
        await walked(chat, "alt+left", "0", "1")
        await walked(chat, "alt+right", "0", "2")
        await walked(chat, "alt+right", "3")
        assert answers(chat) == ["3"]

    play(tmp_path, scenario)


@at_both_sizes
def test_a_cut_answer_is_gone_on_with_under_what_is_there(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:3]).strip()))
        await chat.pilot.press("escape")
        await chat.answered()
        await chat.pilot.press("ctrl+y")
        await chat.until(lambda: chat.shows(whole(JOIN[:5]).strip()) and chat.state == "answering")
        assert chat.engine.asked[1][-1].content == whole(JOIN[:3])
        chat.engine.release()
        await chat.answered()
        assert chat.turns[0].text == whole(JOIN)
        assert not chat.shows("stopped")
        check(chat)

    cut, rest = Answer(JOIN, hold_after=3), Answer(JOIN[3:], hold_after=2)
    play(tmp_path, scenario, cut, rest, size=size)


def test_a_whole_answer_is_not_gone_on_with(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "question")
        await chat.pilot.press("ctrl+y")
        await act(chat, "continue")
        assert len(chat.engine.asked) == 1

    play(tmp_path, scenario)


def test_undo_puts_the_question_back_and_what_is_asked_then_is_beside_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await act(chat, "undo")
        assert chat.prompt.text == "second"
        assert answers(chat) == ["0"]
        check(chat)
        await chat.pilot.press("!", "enter")
        await chat.answered(2)
        assert chat.shows("question 2 of 2")
        await walked(chat, "alt+left", "0", "1")
        await act(chat, "undo")
        await act(chat, "undo")
        await act(chat, "undo")
        assert not chat.turns and not chat.screen.session.conversation.turns

    play(tmp_path, scenario)


@at_both_sizes
def test_a_chat_that_is_reopened_is_as_it_was_and_goes_on(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["0", "2"] and chat.state == "ready")
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat is not None
        kept = recorder.chat
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.ask("another chat")
        await chat.answered(1)
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat != kept
        await chat.screen.asking.show_turns(opened(recorder, kept))
        await chat.pilot.pause()
        assert answers(chat) == ["0", "2"]
        assert chat.shows("answer 2 of 2")
        check(chat)
        await walked(chat, "alt+left", "0", "1")
        await chat.ask("third")
        await chat.answered(3)
        assert [m.content for m in chat.engine.asked[-1]][3] == "Answer number 1."

    play(tmp_path, scenario, size=size)


def test_editing_keeps_what_was_typed_before_and_escape_leaves_the_question(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"draft", "alt+up", "ctrl+e")
        assert chat.prompt.text == "first"
        await chat.pilot.press("escape")
        assert chat.prompt.text == "draft"
        assert chat.screen.asking.editing is None
        await chat.pilot.press("alt+up", "ctrl+e", "!", "enter")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        assert chat.prompt.text == "draft"
        assert [view.question for view in chat.turns] == ["first!"]

    play(tmp_path, scenario)


@pytest.mark.parametrize("name", ["retry", "undo", "new", "continue"])
def test_what_is_done_while_editing_ends_it_and_the_next_question_is_a_new_one(
    tmp_path: Path, name: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.until(lambda: chat.turns[0].over and chat.state == "ready")
        await chat.pilot.press("ctrl+e")
        await act(chat, name)
        assert chat.screen.asking.editing is None
        await chat.until(lambda: chat.state == "ready")
        await chat.pilot.pause()
        n_turns = len(chat.turns)
        chat.prompt.text = "next"
        await chat.pilot.press("enter")
        await chat.answered(n_turns + 1)
        check(chat)

    play(tmp_path, scenario, Answer(JOIN, fail_after=2), *NUMBERS)


def test_what_was_attached_stays_with_its_question_edited_or_taken_back(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        paste = pasted("line 1\nline 2")
        named = Attachment("a.py", "x = 1", 5)
        await chat.ready()
        await chat.screen.asking.ask("What is @a.py?", (paste, named))
        await chat.answered(1)
        await chat.pilot.press("ctrl+e")
        chat.prompt.text = ""
        await chat.ask("And this?")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        (turn,) = chat.screen.session.conversation.turns
        assert turn.attachments == (paste,)
        assert paste.block in chat.engine.asked[-1][0].content
        await act(chat, "undo")
        assert chat.prompt.attachments == (paste,)

    play(tmp_path, scenario)


def test_choosing_where_nothing_was_asked_is_no_error(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for name in ("turn-up", "turn-down", "version-back", "edit", "undo", "continue"):
            await act(chat, name)
            assert chat.toasts("Nothing is asked yet: type a question, Enter sends it."), name
        assert not any(told.severity == "error" for told in chat.app._notifications)
        assert chat.transcript.selected is None

    assert {"turn-up", "version-back"} <= set(ACTIONS)
    play(tmp_path, scenario)
