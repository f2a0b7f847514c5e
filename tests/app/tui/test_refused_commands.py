"""What was given to a command and refused stands in the box again, to be mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.screens.answer_source import AnswerSource
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_actions import play


async def say(chat: Chat, command: str) -> None:
    chat.prompt.insert(command)
    await chat.pilot.press("escape", "enter")


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("/seed 99999999999999999999", "seed"),
        ("/copy 3", "There is no code block 3; this answer has 2."),
        ("/branch 9", "There is no question 9; this chat has 1."),
        ("/chat 99", "There is no chat 99: 1 is open."),
        ("/draft fast", "There is no drafter fast"),
        ("/theme mauve", "There is no theme 'mauve'"),
        ("/persona Nobody", "There is no persona 'Nobody'"),
        ("/export nowhere/at/all.md", "nowhere"),
        ("/export paths.pdf", "Chats are written as .md or .json, and not as .pdf."),
    ],
)
def test_a_refused_argument_can_be_mended(tmp_path: Path, command: str, line: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await say(chat, command)
        await chat.until(lambda: chat.toasts(line))
        await chat.until(lambda: chat.prompt.text == command)
        await chat.pilot.press("x")
        assert chat.prompt.text == f"{command}x"

    play(scenario, tmp_path)


@pytest.mark.parametrize(
    ("answer", "line"),
    [("No code.", "This answer has no code block."), ("", "This question has no answer.")],
)
def test_what_this_answer_does_not_have_may_be_copied_from_another(answer: str, line: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await say(chat, "/copy 9")
        await chat.until(lambda: chat.toasts(line))
        await chat.until(lambda: chat.prompt.text == "/copy 9")
        await chat.pilot.press("backspace", "1")
        assert chat.prompt.text == "/copy 1", "it can be mended"

    drive(scenario, FakeEngine(Answer(words(answer))))


def test_a_key_that_is_refused_puts_nothing_into_the_box(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("alt+5")
        await chat.until(lambda: chat.toasts("There is no chat 5"))
        assert chat.prompt.text == ""

    play(scenario, tmp_path)


def test_a_command_that_is_done_leaves_the_box_empty(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await say(chat, "/seed 7")
        await chat.until(lambda: chat.toasts("The seed is 7"))
        await say(chat, "/copy all")  # there is nothing yet: what was given is not at fault
        await chat.until(lambda: chat.toasts("There is nothing to copy yet."))
        await say(chat, "/prompt-save early")
        await chat.until(lambda: chat.toasts("Nothing is asked yet"))
        assert chat.prompt.text == ""

    play(scenario, tmp_path)


@pytest.mark.parametrize("system", ["Be kind. " * 100, "Be kind.\n\nBe brief."])
def test_a_long_system_prompt_is_shown_whole(tmp_path: Path, system: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.screen.session.conversation.system = system
        await say(chat, "/system")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerSource))
        screen = chat.app.screen
        assert isinstance(screen, AnswerSource) and screen.text.text == system
        assert "System prompt; F2 changes it" in chat.lines[0]
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)

    play(scenario, tmp_path)


@pytest.mark.parametrize(
    ("system", "line"),
    [("Be kind.", "System prompt: Be kind."), (None, "There is no system prompt.")],
)
def test_a_short_system_prompt_is_told(tmp_path: Path, system: str | None, line: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.screen.session.conversation.system = system
        await say(chat, "/system")
        await chat.until(lambda: chat.toasts(line))
        assert chat.is_on_top

    play(scenario, tmp_path)
