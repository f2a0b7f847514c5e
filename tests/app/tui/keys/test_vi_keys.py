"""The keys of vi do what the arrows do in lists and texts, and are letters where one types."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, TextArea

from app.doctor.facts import Check
from app.tui.screens.answer_source import AnswerSource
from app.tui.screens.code_choice import CodeChoice
from app.tui.screens.deleted import DeletedScreen
from app.tui.screens.doctor import DoctorScreen
from app.tui.screens.inspector import Inspector
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.setting_editor import SettingEditor
from app.tui.widgets.setting_list import SettingList
from tests.app.tui import alone
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.driving import SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_copying_code import PYTHON, TWO
from tests.app.tui.test_doctor_screen import FakeCheckup
from tests.app.tui.test_inspector import STEPS
from tests.app.tui.test_own_keys import play
from tests.app.tui.test_settings_screen import Chat as Settings
from tests.app.tui.test_settings_screen import go_to
from tests.app.tui.test_settings_screen import play as play_settings

LINES = "\n".join(f"line {n}" for n in range(60))
MANY = [Check(f"check {n}", "ok", "all is well") for n in range(40)]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_in_a_list_they_move_and_half_a_page_ends_where_the_list_does(
    size: tuple[int, int],
) -> None:
    screen = DoctorScreen(FakeCheckup(*MANY), lambda line: line, is_loaded=False)

    async def scenario(seen: alone.Seen) -> None:
        rows = seen.widget(OptionList)
        await seen.until(lambda: rows.option_count > len(MANY) and rows.highlighted == 0)
        last, half = rows.option_count - 1, rows.size.height // 2
        places = []
        for key in ("j", "j", "k", "ctrl+d", "ctrl+u", "ctrl+u", "G", "ctrl+d", "k", "g"):
            await seen.press(key)
            places.append(rows.highlighted)
        assert places == [1, 2, 1, 1 + half, 1, 0, last, last, last - 1, 0]

    alone.drive(screen, scenario, size)


def test_in_the_settings_they_pass_the_titles_and_are_typed_where_a_value_is() -> None:
    async def scenario(seen: alone.Seen) -> None:
        rows = seen.widget(SettingList).rows
        await seen.press("G", "ctrl+d", "g", "ctrl+u", "j")
        assert rows.highlighted == 2
        await go_to(seen, "system")
        await seen.press("enter", *"jgkG")
        assert seen.widget(SettingEditor).query_one(TextArea).text == "jgkG"
        await seen.press("escape")
        await go_to(seen, "temp")
        await seen.press("enter", "j")
        assert "j" in seen.widget(SettingEditor).query_one(Input).value

    play_settings(scenario, Settings())


def test_they_choose_in_the_list_of_a_settings_choices() -> None:
    chat = Settings()

    async def scenario(seen: alone.Seen) -> None:
        await go_to(seen, "titles")
        await seen.press("enter", "j", "enter")
        await seen.until(lambda: chat.chosen == {"titles": "model"})
        assert chat.chosen == {"titles": "model"}

    play_settings(scenario, chat)


def test_in_the_deleted_chats_they_move(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    gone = kept.chats(*(f"question {n}" for n in range(40)))
    kept.chats("one that stays")
    for chat in gone:
        kept.history.delete(chat)
    assert kept.history.flush()

    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+g")
        await seen.until(lambda: isinstance(seen.app.screen, DeletedScreen))
        rows = seen.app.screen.query_one(ChatList)
        await seen.until(lambda: len(rows.rows) == 40)
        places = []
        for key in ("j", "j", "k", "G", "j", "k", "g", "k"):
            await seen.press(key)
            places.append(rows.highlighted)
        assert places == [1, 2, 1, 39, 39, 38, 0, 0]
        await seen.press("ctrl+d")
        assert rows.highlighted == 0, "one Esc further up, Ctrl+D deletes"

    look(scenario, kept)


def test_in_the_list_of_chats_they_are_typed(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.chats("a jingle", "something else")

    async def scenario(seen: Seen) -> None:
        await seen.press(*"jg")
        await seen.until(lambda: seen.titles == [])
        assert seen.app.screen.query_one(Input).value == "jg"

    look(scenario, kept)


def test_in_an_answers_source_they_move_the_cursor() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("lines?")
        await chat.answered()
        await chat.pilot.press("alt+s")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerSource))
        assert isinstance(chat.app.screen, AnswerSource)
        text = chat.app.screen.text
        half = text.size.height // 2
        places = []
        for key in ("j", "j", "k", "ctrl+d", "ctrl+u", "end", "g", "G"):
            await chat.pilot.press(key)
            places.append(text.cursor_location)
        top = [(1, 0), (2, 0), (1, 0), (1 + half, 0), (1, 0), (1, len("line 1"))]
        assert places == [*top, (0, 0), (59, len("line 59"))]
        assert text.text == LINES

    drive(scenario, FakeEngine(Answer(words(LINES))))


def test_of_several_code_blocks_they_choose_one() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.pilot.press("alt+k")
        await chat.until(lambda: isinstance(chat.app.screen, CodeChoice))
        await chat.pilot.press("k", "enter")
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == PYTHON

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_in_the_inspector_they_go_to_the_first_step_and_the_last() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        screen = Inspector(STEPS, "Why?")
        await chat.app.push_screen(screen)
        await chat.pilot.press("G")
        assert screen.current == len(STEPS) - 1
        await chat.pilot.press("g")
        assert screen.current == 0

    drive(scenario, FakeEngine())


def test_a_key_that_the_table_gives_to_something_else_does_that(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("lines?")
        await chat.answered()
        await chat.pilot.press("alt+s")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerSource))
        await chat.pilot.press("G", "shift+home", "j")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == "> two\n\n"
        await chat.pilot.press("alt+s")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerSource))
        await chat.pilot.press("ctrl+d", "ctrl+c")
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == "one\ntwo", "Ctrl+D selects all"

    table = 'source-quote = "j"\nsource-all = "ctrl+d"\n'
    play(table, scenario, tmp_path, Answer(words("one\ntwo")))
