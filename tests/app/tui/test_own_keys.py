"""Keys of one's own do what they are given, the old ones do not, and every word names the new."""

from __future__ import annotations

import asyncio
import tomllib
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.cli import build_parser
from app.commands.chat import chat_parts
from app.history import History
from app.paths import Paths
from app.tui.app import SlipstreamApp
from app.tui.chat_parts import ChatParts
from app.tui.keys.key_table import read
from app.tui.models.local_models import LocalModels
from app.tui.palettes.commands import Commands
from app.tui.preferences.themes import DARK
from app.tui.screens.chats import ChatsScreen
from app.tui.screens.deleted import DeletedScreen
from app.tui.screens.help import HelpScreen
from app.tui.screens.models import ModelsScreen
from app.tui.screens.settings import SettingsScreen
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, app_of, opened
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words

JOIN = words("It joins one or more path segments.")
CODE = words("Use this:\n\n```python\nimport os\n```\n")
Scenario = Callable[[Chat], Awaitable[None]]


def play(
    table: str,
    scenario: Scenario,
    tmp_path: Path,
    answer: Answer | None = None,
    size: tuple[int, int] = NARROW,
) -> None:
    """Drive the app with such a table, and a history of its own."""

    async def run() -> None:
        engine = FakeEngine(answer or Answer(JOIN))
        keys = read(tomllib.loads(table), Path("/home/settings.toml"))
        history, models = History.open(tmp_path / "history.db"), LocalModels(Namespace(), True)
        app = app_of(ChatParts(engine, FakeSettings(), models, history, keys=keys))
        async with app.run_test(size=size) as pilot:
            chat = await opened(app, pilot, engine)
            await chat.ready()
            await scenario(chat)
            engine.release()

    asyncio.run(run())


def footer(chat: Chat) -> str:
    return " ".join(chat.lines[-1].split())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_an_action_is_done_by_its_new_key_and_not_by_the_old_one(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.until(lambda: "^b Retry" in footer(chat))
        assert "^r" not in footer(chat)
        await chat.pilot.press("ctrl+r")
        await chat.pilot.pause()
        assert len(chat.engine.asked) == 1
        await chat.pilot.press("ctrl+b")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        await chat.answered()

    play('retry = "ctrl+b"', scenario, tmp_path, size=size)


def test_each_of_several_keys_does_it_and_the_first_is_shown(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: "^f Chats" in footer(chat) and "f7" not in footer(chat))
        for key in ("ctrl+f", "f7"):  # both edit in a text field
            await chat.pilot.press(key)
            await chat.until(lambda: isinstance(chat.app.screen, ChatsScreen))
            await chat.pilot.press("escape")
            await chat.until(lambda: chat.is_on_top)
        await chat.pilot.press("f3")
        await chat.pilot.pause()
        assert chat.is_on_top

    play('search = ["ctrl+f", "f7"]', scenario, tmp_path)


def test_what_has_no_key_is_left_to_its_slash_command(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("/quit quit"))
        assert "Quit" not in footer(chat) and "none" not in footer(chat)
        await chat.pilot.press("ctrl+q")
        await chat.pilot.pause()
        assert chat.app.return_code is None
        await chat.ask("/quit")
        await chat.until(lambda: chat.app.return_code is not None)

    play('quit = ""', scenario, tmp_path)


def test_what_has_no_key_by_default_can_have_one(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press("f8")
        await chat.until(lambda: not chat.turns)
        await chat.pilot.press("f9")
        await chat.until(lambda: chat.toasts("Open: 1"))
        assert not chat.turns

    play('undo = "f8"\nchat = "f9"', scenario, tmp_path)


def test_a_key_that_gives_a_number_can_be_another_one(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2 and not chat.turns)
        await chat.pilot.press("alt+1")
        await chat.pilot.pause()
        assert not chat.turns
        await chat.pilot.press("f8")
        await chat.until(lambda: len(chat.turns) == 1)

    play('chat-1 = "f8"', scenario, tmp_path)


def test_a_key_that_is_taken_does_what_it_was_given_for_everywhere(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: len(chat.engine.asked) == 2)
        assert chat.app.theme == DARK.name, "the light was on this key"

    play('retry = "ctrl+t"', scenario, tmp_path)


def test_the_light_is_changed_by_its_new_key_in_every_screen(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("f1")
        await chat.until(lambda: isinstance(chat.app.screen, HelpScreen))
        await chat.pilot.press("ctrl+t")
        await chat.pilot.pause()
        assert chat.app.theme == DARK.name
        await chat.pilot.press("f8")
        await chat.until(lambda: chat.app.theme != DARK.name)

    play('light = "f8"', scenario, tmp_path)


def test_the_palette_opens_by_its_new_key_and_shows_the_new_keys(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: "f8 Palette" in footer(chat))
        found = {hit.text: str(hit.display) async for hit in Commands(chat.screen).discover()}
        assert found["Models"] == "Models  F9" and found["Mouse"] == "Mouse"
        await chat.pilot.press("ctrl+p")
        await chat.pilot.pause()
        assert chat.is_on_top
        await chat.pilot.press("f8")
        await chat.until(lambda: chat.shows("Search for commands"))

    play('palette = "f8"\nmodel = "f9"\nmouse = ""', scenario, tmp_path)


def test_what_opens_a_screen_leaves_it_too(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        for key, kind in (("alt+h", HelpScreen), ("f8", ModelsScreen)):
            await chat.pilot.press(key)
            await chat.until(lambda kind=kind: isinstance(chat.app.screen, kind))  # type: ignore[misc]
            await chat.pilot.pause()
            await chat.pilot.press(key)
            await chat.until(lambda: chat.is_on_top)
            assert len(chat.app.screen_stack) == 1

    play('help = "alt+h"\nmodel = "f8"', scenario, tmp_path)


def test_hints_say_the_new_keys(tmp_path: Path) -> None:
    table = 'stop = "f8"\ncode = "f9"\nhelp = "f7"\nxray = ""\nretry = ""\nedit = ""'

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("F7 help"))
        await chat.ask("question")
        await chat.until(lambda: chat.shows("F8 or Ctrl+C stops the answer"))
        await chat.pilot.press("a")
        await chat.until(lambda: chat.shows("after this answer · F8 stops it"))
        await chat.pilot.press("backspace", "alt+left")
        await chat.until(lambda: chat.toasts("wait for it, or stop it with F8."))
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows("F9 copies the code"))
        await chat.until(lambda: chat.shows("F7 explains, /xray hides them."))
        await chat.pilot.press("alt+left")
        await chat.until(
            lambda: chat.toasts("/retry makes another answer, “Edit” in Ctrl+P another")
        )
        assert not chat.shows("Esc")

    play(table, scenario, tmp_path, Answer(CODE, hold_after=2))


def test_esc_stops_nothing_where_another_key_does(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("escape")
        await chat.pilot.pause()
        assert chat.state == "answering"
        await chat.pilot.press("f8")
        await chat.until(lambda: chat.turns[-1].over)
        assert chat.screen.session.conversation.turns[-1].reason == "cancelled"

    play('stop = "f8"', scenario, tmp_path, Answer(CODE, hold_after=2))


def test_without_a_key_to_stop_ctrl_c_is_told(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("─ Ctrl+C stops the answer ─"))
        assert not chat.shows("Esc")

    play('stop = ""', scenario, tmp_path, Answer(CODE, hold_after=2))


def test_the_help_lists_names_keys_and_what_is_wrong(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("/help keys")
        await chat.until(lambda: isinstance(chat.app.screen, HelpScreen))
        for told in (
            "F9 ask again, for another answer",
            "wrong /home/settings.toml: keys: edit: should be another key",
            "retry F9 (by default Ctrl+R): ask again",
            "undo no key: take back the last question",
            "quit no key (by default Ctrl+Q): leave",
            "chat-9 Alt+9: show an open chat",
            "chats-rename Ctrl+R, F2: in the list of chats",
            "palette Ctrl+P: all commands",
        ):
            chat.app.screen.query_one("Input").value = "keys " + told.split()[0]  # type: ignore[attr-defined]
            await chat.until(lambda told=told: chat.shows(told))  # type: ignore[misc]
            assert isinstance(chat.app.screen, HelpScreen)

    play('retry = "f9"\nquit = ""\nedit = "x"', scenario, tmp_path, size=WIDE)


def test_the_list_of_chats_has_keys_of_its_own(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first chat")
        await chat.answered()
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("f8 Delete"))
        places = [footer(chat).index(title) for title in ("Rename", "Delete", "Export")]
        assert places == sorted(places), "it stays where it was"
        assert footer(chat).index("esc Back") < footer(chat).index("^q Quit")
        await chat.pilot.press("ctrl+d")
        await chat.pilot.pause()
        assert chat.shows("first chat") and not list(chat.app._notifications)
        await chat.pilot.press("f8")
        await chat.until(lambda: chat.toasts("F7 brings it back, F6 shows or erases it."))
        await chat.until(lambda: chat.shows("1 deleted: F6"))
        await chat.pilot.press("f6")
        await chat.until(lambda: isinstance(chat.app.screen, DeletedScreen))
        await chat.until(lambda: chat.shows("x Erase"))
        await chat.pilot.press("f6")
        await chat.until(lambda: isinstance(chat.app.screen, ChatsScreen))
        await chat.pilot.press("f7")
        await chat.until(lambda: chat.toasts("It is back."))

    table = 'chats-delete = "f8"\nchats-undo = "f7"\nchats-deleted = "f6"\ndeleted-erase = "x"'
    play(table, scenario, tmp_path, size=WIDE)


def test_the_settings_tell_where_keys_are_changed_and_name_their_own() -> None:
    async def run() -> None:
        paths = Paths().ensure()
        paths.settings_file.write_text('[keys]\nsettings-keep = "k"\n', "utf-8")
        args = build_parser().parse_args(["chat"])
        app = SlipstreamApp(lambda app: chat_parts(args, app))
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, FakeEngine())
            await chat.pilot.press("f2")
            await chat.until(lambda: isinstance(chat.app.screen, SettingsScreen))
            await chat.until(lambda: chat.shows("k keeps one · keys: /help keys"))
            assert not chat.shows("s keeps one")

    asyncio.run(run())


def test_a_wrong_entry_is_told_when_the_chat_is_there(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        assert chat.toasts("Keys /home/settings.toml: keys: retry: should be another key")
        await chat.until(lambda: "f1 Help" in footer(chat))

    play('retry = "q"', scenario, tmp_path)
