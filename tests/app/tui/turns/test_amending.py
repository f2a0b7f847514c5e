"""An answer in one's own words: a version beside the model's, kept, sent, and gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.recorded import opened
from tests.app.tui.branching import act, answers, check, play, talk, walked
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

THOUGHT = "<think>\nWho asks?\n</think>\n\n"
HARD = "/help me with @alice and @README.md\n```\n@app.get('/x')\n```\n//end"
"""Code, what names files, what looks like a command and like an escaped one."""


async def amend(chat: Chat, text: str) -> None:
    """Change the answer that is meant, by the command."""
    await act(chat, "amend")
    assert chat.shows("Enter sends the change")
    chat.prompt.text = text
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.prompt.text == "" and not chat.screen.asking.amends)
    await chat.pilot.pause()


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_an_edited_answer_is_a_version_beside_the_models(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.ask("/amend")
        await chat.until(lambda: chat.prompt.text == "Answer number 0.")
        await chat.pilot.press(*["backspace"] * 2, "7", "enter")
        await chat.until(lambda: answers(chat) == ["7"])
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        assert chat.shows("edited by you; Ctrl+Y goes on from there")
        assert len(chat.engine.asked) == 1, "the model was not asked"
        turn = chat.screen.session.conversation.turns[0]
        assert [(span.text, span.origin) for span in turn.spans] == [("Answer number 7", "plain")]
        await walked(chat, "alt+left", "0")
        await walked(chat, "alt+right", "7")

    play(tmp_path, scenario, size=size)


def test_the_next_question_carries_the_edited_answer_and_it_is_gone_on_with(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await amend(chat, "Mine is")
        await act(chat, "inspect")
        await chat.until(lambda: chat.toasts("You wrote this answer: it has no steps to look at."))
        await chat.pilot.press("ctrl+y")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        sent = [(message.role, message.content) for message in chat.engine.asked[1]]
        assert sent == [("user", "first"), ("assistant", "Mine is")]
        assert chat.turns[0].text == "Mine isAnswer number 1."
        assert not chat.shows("edited by you") and chat.shows("answer 2 of 2")
        await chat.ask("second")
        await chat.answered(2)
        assert chat.engine.asked[2][1].content == "Mine isAnswer number 1."
        check(chat)

    play(tmp_path, scenario)


def test_indented_code_that_an_answer_begins_with_stays_code_when_it_is_edited(
    tmp_path: Path,
) -> None:
    code = "    if x:\n        y()"

    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered(1)
        await act(chat, "amend")
        assert chat.prompt.text == code
        chat.prompt.text += "\n\nSo."
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("answer 2 of 2"))
        assert chat.turns[0].text == f"{code}\n\nSo."

    play(tmp_path, scenario, Answer(words(f"\n{code}\n")))


def test_the_answer_further_up_is_changed_and_what_followed_stays_a_branch(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await chat.pilot.press("alt+up", "alt+up")
        await amend(chat, "Other 8")
        assert answers(chat) == ["8"]
        check(chat)
        await walked(chat, "alt+left", "0", "1")

    play(tmp_path, scenario)


def test_an_edited_answer_is_kept_and_can_be_gone_on_with_later(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await amend(chat, HARD)
        number = chat.screen.asking.recorder.chat  # type: ignore[union-attr]
        assert number is not None
        await chat.until(lambda: bool(chat.screen.history and chat.screen.history.flush()))
        messages = chat.screen.history.chat(number).messages  # type: ignore[union-attr]
        kept = [message for message in messages if message.role == "assistant"]
        assert [(each.content, each.reason) for each in kept] == [
            ("Answer number 0.", "stop"),
            (HARD, "edited"),
        ]
        turns = opened(chat.screen.asking.recorder, number)  # type: ignore[union-attr]
        await chat.screen.asking.show_turns(turns)
        await chat.pilot.press("ctrl+y")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        assert chat.engine.asked[1][-1].content == HARD

    play(tmp_path, scenario)


def test_what_was_thought_stays_before_the_words_and_is_not_there_to_edit(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "amend")
        assert chat.prompt.text == "Four."
        await chat.pilot.press("escape")
        assert chat.prompt.text == "" and not chat.screen.asking.amends
        await amend(chat, "Five.")
        assert chat.screen.session.conversation.turns[0].answer == f"{THOUGHT}Five."
        assert chat.turns[0].text == "Five."

    play(tmp_path, scenario, Answer(words(f"{THOUGHT}Four.")))


def test_an_answer_is_taken_as_it_is_typed_and_a_question_again_is_not(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.insert("half a question")
        await act(chat, "amend")
        chat.prompt.text = ""
        chat.prompt.take_in("x" * 5000)
        assert not chat.prompt.attachments and len(chat.prompt.text) == 5000
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text == "half a question")
        assert "x" * 5000 not in [chat.prompt.past.walk().up("")]
        chat.prompt.text = "/temp 0.5"
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.toasts("The temperature is 0.5."))

    play(tmp_path, scenario)


def test_another_chat_is_asked_while_an_answer_is_edited_in_this_one(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "amend")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.prompt.text == "" and not chat.transcript.turns)
        await chat.ask("/temp 0.5")
        await chat.until(lambda: chat.toasts("The temperature is 0.5."))
        await chat.ask("elsewhere")
        await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")
        await chat.pilot.press("alt+1")
        await chat.until(lambda: chat.prompt.text == "Answer number 0.")
        chat.prompt.text = "/mine 9"
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.transcript.turns[0].text == "/mine 9")
        assert len(chat.engine.asked) == 2

    play(tmp_path, scenario)


def test_without_an_answer_there_is_nothing_to_edit() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/amend")
        await chat.until(lambda: chat.toasts("Nothing is asked yet"))
        assert chat.prompt.text == "" and chat.turns == []

    drive(scenario, FakeEngine())


def test_the_figures_are_not_those_of_the_answer_that_was_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        assert chat.screen.figures.stats is not None
        await amend(chat, "Mine 9")
        assert chat.screen.figures.stats is None and chat.screen.figures.context_used > 0

    play(tmp_path, scenario)


def test_an_edited_answer_uses_no_seed_up(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await amend(chat, "Mine 9")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        first, again = (sampling.seed for sampling in chat.engine.samplings)
        assert again == first + 1
        assert chat.shows("answer 3 of 3")

    play(tmp_path, scenario)


def test_no_file_is_attached_to_an_answer_that_is_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "amend")
        await chat.pilot.press("alt+a")
        await chat.until(lambda: chat.toasts("takes no file along; Esc leaves it as it was."))
        await chat.screen.action_act("attach", "README.md")
        assert chat.is_on_top and chat.prompt.text == "Answer number 0."

    play(tmp_path, scenario)
