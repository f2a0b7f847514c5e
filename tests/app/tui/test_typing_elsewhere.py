"""What is typed or pasted while the focus is elsewhere goes into the prompt."""

from __future__ import annotations

import pytest
from textual import events

from app.files.attachments import PASTE_CHARACTERS
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_key_and_a_paste_reach_the_prompt_from_wherever_the_focus_is(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.screen.set_focus(None)
        await chat.pilot.press("a")
        chat.screen.set_focus(None)
        chat.app.post_message(events.Paste(" short\rpaste"))
        await chat.until(lambda: chat.prompt.text == "a short\npaste")
        await chat.until(lambda: chat.prompt.has_focus)
        chat.app.post_message(events.Paste("!"))
        await chat.until(lambda: chat.prompt.text.endswith("!"))
        assert chat.prompt.text == "a short\npaste!"

    drive(scenario, FakeEngine(), size)


def test_a_long_paste_from_elsewhere_stands_beside_the_text_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.screen.set_focus(None)
        chat.app.post_message(events.Paste("x" * (PASTE_CHARACTERS + 1)))
        await chat.until(lambda: len(chat.prompt.attachments) == 1)
        await chat.until(lambda: chat.prompt.has_focus)
        assert chat.prompt.text == ""

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("has_focus", [True, False])
def test_alt_with_a_letter_that_does_nothing_now_says_so_and_types_nothing(has_focus: bool) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        if not has_focus:
            chat.screen.set_focus(None)
        chat.app.post_message(events.Key("alt+k", "k"))  # as a terminal's Escape k is read
        await chat.until(
            lambda: chat.toasts("There is nothing to copy yet.") or bool(chat.prompt.text)
        )
        assert chat.prompt.text == "" and chat.toasts("There is nothing to copy yet.")

    drive(scenario, FakeEngine())
