"""While one types, Ctrl+E and Ctrl+K do what they do in a shell; else they mean the answer. No key
of the chat does another thing to what is typed where it has nothing to do.
"""

from __future__ import annotations

import pytest

from tests.app.tui.driving import NARROW, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words


@pytest.mark.parametrize(
    ("keys", "text"), [(("ctrl+e", "!"), "one two!"), (("ctrl+k", "!"), "one!")]
)
def test_with_text_in_the_box_they_are_keys_of_the_line(keys: tuple[str, ...], text: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: "^e Edit" in chat.lines[-1] and "^k Copy" in chat.lines[-1])
        chat.prompt.insert("one two")
        chat.prompt.move_cursor((0, 3))
        await chat.until(lambda: "^e Edit" not in chat.lines[-1] and "^k" not in chat.lines[-1])
        await chat.pilot.press(*keys)
        await chat.until(lambda: chat.prompt.text == text)
        assert chat.screen.asking.editing is None
        assert chat.app.clipboard == ""
        chat.prompt.text = ""
        await chat.until(lambda: "^e Edit" in chat.lines[-1])

    drive(scenario, FakeEngine(), WIDE)


@pytest.mark.parametrize(
    ("key", "why"),
    [("f6", "The list of chats needs 100 columns; F3 shows all chats."), ("f7", "")],
)
def test_a_function_key_selects_nothing_of_what_is_typed(key: str, why: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"one", key)
        await chat.until(lambda: not why or chat.toasts(why))
        await chat.pilot.press("!")
        assert chat.prompt.text == "one!"

    drive(scenario, FakeEngine(), NARROW)


def test_ctrl_x_cuts_what_is_selected_and_else_says_why_it_does_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press(*"one two", "ctrl+x")
        await chat.until(lambda: chat.toasts("Not while an answer is written"))
        assert (chat.prompt.text, chat.app.clipboard) == ("one two", "")
        await chat.pilot.press("ctrl+shift+left", "ctrl+x")
        await chat.until(lambda: chat.app.clipboard == "two")
        assert chat.prompt.text == "one "

    drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=1)))


def test_in_the_empty_box_or_with_a_turn_chosen_they_mean_the_answer() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("ctrl+k")
        await chat.until(lambda: chat.toasts("the answer"))
        chat.prompt.insert("draft")
        await chat.pilot.press("alt+up", "ctrl+k")
        await chat.until(lambda: chat.toasts("the question and its answer"))
        await chat.pilot.press("ctrl+e")
        await chat.until(lambda: chat.screen.asking.editing is not None)
        assert chat.prompt.text == "question"

    drive(scenario, FakeEngine())
