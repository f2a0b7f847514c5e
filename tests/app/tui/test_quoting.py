"""Part of an answer is selected by keyboard, copied or quoted; the mouse's selection is quoted."""

from __future__ import annotations

import pytest

from app.tui.actions.quoting import quoted
from app.tui.keys.keymap import DEFAULT
from app.tui.screens.answer_source import NOTHING, AnswerSource
from app.tui.text import copied
from tests.app.terminal.test_sanitise import HOSTILE
from tests.app.tui.driving import NARROW, SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

TEXT = "# Paths\n\nIt **joins** them.\n\n```python\nos.path\n```"
THOUGHT = f"<think>\nsecret\n</think>\n\n{TEXT}"


async def selecting(chat: Chat) -> AnswerSource:
    """Open the source of the answer that is meant, once it shows its keys."""
    await chat.pilot.press("alt+s")
    await chat.until(lambda: isinstance(chat.app.screen, AnswerSource) and chat.shows("Quote"))
    assert isinstance(chat.app.screen, AnswerSource)
    return chat.app.screen


async def drag_over(chat: Chat, word: str) -> None:
    """Drag the mouse over a word, where it stands."""
    await chat.until(lambda: chat.shows(word))
    y, line = next((y, line) for y, line in enumerate(chat.lines) if word in line)
    x = line.index(word)
    await chat.pilot.mouse_down(offset=(x, y))
    await chat.pilot.hover(offset=(x + len(word) - 1, y))
    await chat.pilot.mouse_up(offset=(x + len(word) - 1, y))
    await chat.until(lambda: bool(chat.screen.get_selected_text()))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_source_is_shown_without_the_thought_and_with_its_keys(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("paths?")
        await chat.answered()
        await selecting(chat)
        assert chat.shows("It **joins** them.") and chat.shows("```python")
        assert not chat.shows("secret")
        footer = " ".join(chat.lines[-1].split())
        assert footer.startswith("^a Select all ^c Copy q Quote esc Back")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert (chat.app.clipboard, chat.prompt.text) == ("", "")

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), size)


@pytest.mark.parametrize("key", ["ctrl+c", "enter"])
def test_what_the_keyboard_selects_is_copied_and_how_that_went_is_said(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied, "copied_now", lambda app, text: f"as it went: {text}")

    async def scenario(chat: Chat) -> None:
        await chat.ask("paths?")
        await chat.answered()
        await selecting(chat)
        await chat.pilot.press("down", "down", "shift+right", "shift+right", key)
        await chat.until(lambda: chat.toasts("as it went: It"))
        assert chat.app.clipboard == "It"
        await chat.pilot.press("ctrl+a", key)
        await chat.until(lambda: chat.app.clipboard != "It")
        assert chat.app.clipboard == TEXT

    drive(scenario, FakeEngine(Answer(words(THOUGHT))))


@pytest.mark.parametrize("key", ["ctrl+c", "q"])
def test_without_a_selection_it_is_said_how_to_select_and_nothing_is_changed(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("paths?")
        await chat.answered()
        screen = await selecting(chat)
        await chat.pilot.press("x", "backspace", key)
        await chat.until(lambda: chat.toasts(DEFAULT.told(NOTHING)))
        assert chat.app.screen is screen and chat.app.clipboard == ""
        await chat.pilot.press("ctrl+a", "q")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == f"{quoted(TEXT)}\n\n"

    drive(scenario, FakeEngine(Answer(words(TEXT))))


def test_the_chosen_answer_is_shown_and_its_selection_quoted_behind_what_was_typed() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        await chat.ask("second?")
        await chat.answered(2)
        await chat.pilot.press("alt+up", "alt+up")
        chat.prompt.insert("I doubt this:")
        await selecting(chat)
        await chat.pilot.press("shift+end", "q")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == "I doubt this:\n\n> one\n\n"
        await chat.pilot.press("w", "h", "y")
        assert chat.prompt.text == "I doubt this:\n\n> one\n\nwhy"

    drive(scenario, FakeEngine(Answer(words("one")), Answer(words("two"))))


@pytest.mark.parametrize("way", ["key", "palette"])
def test_what_the_mouse_selects_is_quoted_once(way: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("paths?")
        await chat.answered()
        await drag_over(chat, "os.path")
        if way == "key":
            await chat.pilot.press("alt+q")
        else:
            await chat.pilot.press("ctrl+p", *"quote")
            await chat.until(lambda: chat.shows("Quote"))
            await chat.pilot.press("enter")
        await chat.until(lambda: chat.prompt.text == "> os.path\n\n")
        assert chat.prompt.cursor_location == (2, 0) and chat.prompt.has_focus
        await chat.pilot.press("alt+q")
        await chat.until(lambda: chat.toasts("Alt+S selects by keyboard"))
        assert chat.prompt.text == "> os.path\n\n"

    drive(scenario, FakeEngine(Answer(words(TEXT))), NARROW)


def test_where_nothing_is_answered_there_is_nothing_to_select() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("alt+s")
        await chat.until(lambda: chat.toasts("There is nothing to copy yet."))
        assert chat.is_on_top
        await chat.ask("why?")
        await chat.answered()
        await chat.pilot.press("alt+s")
        await chat.until(lambda: chat.toasts("there is only the thought"))
        assert chat.is_on_top

    drive(scenario, FakeEngine(Answer(words("<think>\nsecret"))))


def test_every_line_is_marked_and_control_characters_are_taken_out() -> None:
    assert quoted("\na\n\n  b\n") == "> a\n>\n>   b"
    assert quoted("a\x1b]52;c;eA==\x07\rb") == "> a]52;c;eA==b"
    assert all(line.startswith(">") for line in quoted("".join(HOSTILE.values())).split("\n"))


def test_a_hostile_answer_is_harmless_in_its_source() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("why?")
        await chat.answered()
        await selecting(chat)
        await chat.pilot.press("ctrl+a", "ctrl+c")
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == "red[31m"

    drive(scenario, FakeEngine(Answer(words("red\x1b[31m\x9b"))))


def test_the_command_shows_the_source_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("paths?")
        await chat.answered()
        await chat.ask("/select")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerSource))
        assert chat.prompt.text == ""

    drive(scenario, FakeEngine(Answer(words(TEXT))))
