"""What is half written is there again, whatever stands in the box meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.files.attachments import pasted
from tests.app.tui.branching import NUMBERS, act, play, talk
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.chats.test_tabs import press
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.test_unsent_kept import kept

LONG = "\n".join(f"line {n}" for n in range(80))


async def walk(chat: Chat) -> None:
    """Ask something, write a draft, and walk up to what was asked."""
    await talk(chat, "first")
    await chat.pilot.press(*"a draft", "up")
    assert chat.prompt.text == "first"


@pytest.mark.parametrize(("changes", "text"), [((), "a draft"), ((*"ly",), "a draft\n\nfirstly")])
def test_a_draft_comes_back_with_its_chat_though_an_earlier_prompt_was_shown(
    tmp_path: Path, changes: tuple[str, ...], text: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await walk(chat)
        await chat.pilot.press(*changes)
        await press(chat, "ctrl+n")
        assert chat.prompt.text == ""
        await press(chat, "alt+1", "first")
        assert chat.prompt.text == text
        await chat.pilot.press("ctrl+up")
        assert chat.prompt.text == "first"

    play(tmp_path, scenario)


def test_an_earlier_prompt_that_has_no_draft_behind_it_stays_in_the_box(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press("up")
        await press(chat, "ctrl+n")
        await press(chat, "alt+1", "first")
        assert chat.prompt.text == "first"

    play(tmp_path, scenario)


def test_a_draft_is_kept_for_the_next_start_while_an_earlier_prompt_is_shown(
    tmp_path: Path,
) -> None:
    async def typing(chat: Chat) -> None:
        await walk(chat)
        await chat.until(lambda: kept(tmp_path) == ["a draft"])
        await chat.pilot.press("down", "!", "up")
        await chat.until(lambda: kept(tmp_path) == ["a draft!"])

    async def again(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 1)
        assert chat.prompt.text == "a draft!"

    start(tmp_path, typing)
    start(tmp_path, again)


def test_up_brings_the_draft_that_ctrl_c_took_with_an_earlier_prompt() -> None:
    async def scenario(chat: Chat) -> None:
        await walk(chat)
        await chat.pilot.press("ctrl+c", "up")
        assert chat.prompt.text == "a draft"

    drive(scenario, FakeEngine(*NUMBERS))


def test_a_question_that_is_taken_back_stands_before_the_draft_not_before_an_earlier_prompt() -> (
    None
):
    async def scenario(chat: Chat) -> None:
        await walk(chat)
        await act(chat, "undo")
        assert chat.prompt.text == "first\n\na draft"

    drive(scenario, FakeEngine(*NUMBERS))


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        ((*" too", "enter"), "first too"),
        (("escape",), "first"),
        ((*" too", "ctrl+c"), "first"),
        (("up", "down", *" too", "enter"), "first too"),
    ],
    ids=["sent", "escape", "ctrl+c", "walked"],
)
def test_a_draft_is_no_part_of_a_title_and_comes_back_behind_it(
    tmp_path: Path, keys: tuple[str, ...], title: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.attach(pasted(LONG))
        await chat.pilot.press(*"a draft")
        await act(chat, "rename")
        assert chat.prompt.text == "/rename first"
        await chat.pilot.press(*keys)
        await chat.until(lambda: chat.prompt.text == "a draft")
        tabs = chat.screen.tabs
        await chat.until(lambda: tabs.title(tabs.open.current) == title)
        assert [each.text for each in chat.prompt.attachments] == [LONG]
        await chat.pilot.press("!", "enter")
        await chat.answered(2)
        assert (chat.turns[1].question, chat.prompt.text) == ("a draft!", "")

    play(tmp_path, scenario)


def test_a_draft_comes_back_with_its_chat_though_a_title_was_being_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"a draft")
        await act(chat, "rename")
        await press(chat, "ctrl+n")
        await press(chat, "alt+1", "first")
        assert chat.prompt.text == "a draft"

    play(tmp_path, scenario)


def test_a_title_is_not_sent_for_the_answer_that_is_being_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"a draft")
        await act(chat, "amend")
        await act(chat, "rename")
        await chat.pilot.press(*" too", "enter")
        await chat.until(lambda: chat.prompt.text == "a draft")
        tabs = chat.screen.tabs
        await chat.until(lambda: tabs.title(tabs.open.current) == "first too")
        assert chat.turns[0].text == "Answer number 0."

    play(tmp_path, scenario)


def test_up_brings_the_draft_that_stood_behind_an_earlier_prompt_which_was_sent() -> None:
    async def scenario(chat: Chat) -> None:
        await walk(chat)
        await chat.pilot.press("enter")
        await chat.answered(2)
        assert (chat.turns[1].question, chat.prompt.text) == ("first", "")
        await chat.pilot.press("up", "up")
        assert chat.prompt.text == "a draft"

    drive(scenario, FakeEngine(*NUMBERS))


def test_a_draft_that_up_cannot_bring_is_in_the_box_when_an_earlier_prompt_was_sent() -> None:
    draft = "a draft " * 3000

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.insert(draft)
        await chat.pilot.press("ctrl+up", "enter")
        await chat.answered(2)
        assert chat.prompt.text == draft.strip()

    drive(scenario, FakeEngine(*NUMBERS))


async def behind_a_prompt(chat: Chat) -> None:
    await walk(chat)
    await act(chat, "recall")
    assert chat.prompt.text == "/recall first"


async def behind_a_command(chat: Chat) -> None:
    await talk(chat, "first")
    await chat.pilot.press(*"a draft")
    await act(chat, "rename")
    await chat.pilot.press("ctrl+u")
    await act(chat, "recall")
    assert chat.prompt.text == "/recall "


@pytest.mark.parametrize("begin", [behind_a_prompt, behind_a_command])
def test_up_brings_a_draft_that_was_out_of_sight_when_another_prompt_was_sought(
    begin: Callable[[Chat], Awaitable[None]],
) -> None:
    async def scenario(chat: Chat) -> None:
        await begin(chat)
        assert chat.prompt.past.prompts[-1] == "a draft"
        await chat.until(lambda: chat.prompt.is_completing)

    drive(scenario, FakeEngine(*NUMBERS))


def test_what_is_in_the_box_is_not_lost_to_words_that_were_sent() -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press(*"a draft")
        await chat.screen.action_act("recall", "first")
        assert chat.prompt.text == "/recall first" and chat.prompt.past.prompts[-1] == "a draft"

    drive(scenario, FakeEngine(*NUMBERS))


def test_undoing_brings_a_draft_that_up_cannot_when_another_prompt_is_sought() -> None:
    draft = "a draft " * 3000

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.insert(draft)
        await chat.pilot.press("ctrl+up")
        await act(chat, "recall")
        assert chat.prompt.text == "/recall first" and chat.toasts("Too long for Up")
        for _ in range(2):
            chat.prompt.action_undo()
        assert chat.prompt.text == draft

    drive(scenario, FakeEngine(*NUMBERS))
