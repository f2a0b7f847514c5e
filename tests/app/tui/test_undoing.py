"""Undoing and redoing what makes a text field higher or lower than its room."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import TextArea

from app.tui.widgets.setting_editor import SettingEditor
from tests.app.tui.alone import Seen
from tests.app.tui.branching import act
from tests.app.tui.driving import Chat as App
from tests.app.tui.driving import drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.prompt_alone import Desk, at_prompt, paste
from tests.app.tui.test_settings_screen import Chat, go_to, play

SIZES = ((80, 24), (60, 20))
LINES = "\n".join("abcdefghijkl")


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "60x20"])
def test_a_paste_that_fills_the_box_is_undone_and_redone(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        field = desk.prompt
        await paste(seen, desk, LINES)
        await seen.until(lambda: field.show_vertical_scrollbar)
        await seen.press("ctrl+z")
        await seen.until(lambda: not field.show_vertical_scrollbar)
        assert field.text == ""
        await seen.press("ctrl+y")
        await seen.until(lambda: field.show_vertical_scrollbar)
        assert field.text == LINES
        await seen.until_shown("l")
        await seen.press("X")
        assert field.text == LINES + "X"

    at_prompt(scenario, size=size)


def test_lines_that_are_deleted_and_come_back_are_deleted_again() -> None:
    async def scenario(seen: Seen, desk: Desk) -> None:
        field = desk.prompt
        await paste(seen, desk, LINES)
        field.select_all()
        await seen.press("delete", "ctrl+z")
        await seen.until(lambda: field.show_vertical_scrollbar)
        assert field.text == LINES
        await seen.press("ctrl+y")
        await seen.until(lambda: not field.show_vertical_scrollbar)
        assert field.text == ""
        await seen.press("X")
        assert field.text == "X"

    at_prompt(scenario)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "60x20"])
def test_a_system_prompt_that_fills_its_field_is_undone_and_redone(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await go_to(seen, "system")
        await seen.press("enter")
        field = seen.widget(SettingEditor).query_one(TextArea)
        await seen.until(lambda: field.has_focus)
        seen.app.post_message(events.Paste(LINES))
        await seen.until(lambda: field.show_vertical_scrollbar)
        await seen.press("ctrl+z")
        await seen.until(lambda: not field.show_vertical_scrollbar)
        assert field.text == ""
        await seen.press("ctrl+y")
        await seen.until(lambda: field.show_vertical_scrollbar)
        assert field.text == LINES

    play(scenario, Chat(), size)


def test_what_was_undone_is_redone_though_the_answer_could_be_gone_on_with() -> None:
    async def scenario(chat: App) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await act(chat, "stop")
        await chat.answered()
        await chat.pilot.press(*"draft", "ctrl+z", "ctrl+y")
        assert chat.prompt.text == "draft"
        await chat.pilot.pause()
        assert len(chat.engine.asked) == 1
        await chat.pilot.press("ctrl+y")
        await chat.until(lambda: len(chat.engine.asked) == 2)

    drive(scenario, FakeEngine(Answer(words("One and two."), hold_after=1), Answer(words("More."))))


def test_nothing_is_said_of_a_whole_answer_where_the_key_redoes_what_was_typed() -> None:
    async def scenario(chat: App) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press(*"draft", "ctrl+z", "ctrl+y")
        assert chat.prompt.text == "draft"
        assert not chat.toasts("This answer is complete")

    drive(scenario, FakeEngine(Answer(words("One."))))
