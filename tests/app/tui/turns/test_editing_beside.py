"""What is pasted beside the box goes with its own text, while a question is changed and behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.attachments import pasted
from tests.app.tui.branching import NUMBERS, act, play, talk
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine

LONG = "\n".join(f"line {n}" for n in range(80))
THEIRS = "\n".join(f"row {n}" for n in range(80))


def beside(chat: Chat) -> list[str]:
    return [each.text for each in chat.prompt.attachments]


async def draft(chat: Chat) -> None:
    """Have a text with a paste in the box, which is not sent."""
    chat.prompt.attach(pasted(LONG))
    await chat.pilot.press(*"mine")


async def ask_of_paste(chat: Chat) -> None:
    await chat.ready()
    chat.prompt.attach(pasted(THEIRS))
    await chat.ask("first")
    await chat.answered()


def attached(chat: Chat, at: int) -> list[str]:
    """Return what went with a question."""
    return [each.text for each in chat.screen.asking.conversation.turns[at].attachments]


def test_a_changed_question_goes_without_what_stands_beside_the_draft() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second")
        await draft(chat)
        await chat.pilot.press("alt+up", "alt+up", "ctrl+e")
        assert (chat.prompt.text, beside(chat)) == ("first", [])
        await chat.pilot.press("!", "enter")
        await chat.answered()
        assert (chat.turns[0].question, attached(chat, 0)) == ("first!", [])
        assert (chat.prompt.text, beside(chat)) == ("mine", [LONG])

    drive(scenario, FakeEngine(*NUMBERS))


@pytest.mark.parametrize("way", ["escape", "ctrl+c"])
@pytest.mark.parametrize("name", ["edit", "amend"])
def test_a_draft_has_its_paste_back_when_the_change_is_left(name: str, way: str) -> None:
    async def scenario(chat: Chat) -> None:
        await ask_of_paste(chat)
        await draft(chat)
        await act(chat, name)
        assert LONG not in beside(chat)
        await chat.pilot.press("!", way)
        assert (chat.prompt.text, beside(chat)) == ("mine", [LONG])

    drive(scenario, FakeEngine(*NUMBERS))


def test_a_paste_that_comes_while_a_question_is_changed_stays_when_that_is_left() -> None:
    async def scenario(chat: Chat) -> None:
        await ask_of_paste(chat)
        await act(chat, "edit")
        chat.prompt.attach(pasted(LONG, 2))
        await chat.pilot.press("escape")
        assert (chat.prompt.text, beside(chat)) == ("", [LONG])

    drive(scenario, FakeEngine(*NUMBERS))


def test_the_paste_of_a_question_stands_beside_it_while_it_is_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask_of_paste(chat)
        await act(chat, "edit")
        await chat.until(lambda: chat.shows("Pasted text 1 (80 lines, "))
        assert beside(chat) == [THEIRS]
        await chat.pilot.press("!", "enter")
        await chat.answered()
        assert (chat.turns[0].question, attached(chat, 0)) == ("first!", [THEIRS])
        assert beside(chat) == []

    play(tmp_path, scenario)


def test_a_question_is_changed_to_one_without_its_paste(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask_of_paste(chat)
        await act(chat, "edit")
        await chat.pilot.press("ctrl+u", "backspace", *"other", "enter")
        await chat.answered()
        assert (chat.turns[0].question, attached(chat, 0)) == ("other", [])

    play(tmp_path, scenario)
