"""The list of chats beside the chat leaves the keys somewhere, whatever takes it away."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.paths import Paths
from app.tui.chats.opening import open_chat
from app.tui.models.local_models import LocalModels
from app.tui.preferences import setting_sources
from app.tui.preferences.setting_sources import keep_chat_list
from tests.app.tui.chats.test_elsewhere import come_back
from tests.app.tui.driving import NARROW, WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine, FakeSettings
from tests.app.tui.test_chat_side import MIDDLE, chosen, filled, listed, play, shown, side


async def gone_to(chat: Chat) -> None:
    await chat.pilot.press("f6")
    await chat.until(lambda: side(chat).has_focus)


def test_who_comes_back_from_another_window_is_still_in_the_list(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await gone_to(chat)
        await come_back(chat)
        assert side(chat).has_focus
        await chat.pilot.press("down", "escape", "tab")
        assert not side(chat).has_focus

    play(scenario, filled(tmp_path, "earlier"))


def test_a_narrower_terminal_gives_the_keys_to_the_prompt(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("a draft")
        await gone_to(chat)
        await chat.pilot.resize_terminal(*NARROW)
        await chat.until(lambda: not side(chat).display)
        await chat.pilot.press("enter")
        await chat.answered()
        assert [view.question for view in chat.turns] == ["a draft"]

    play(scenario, filled(tmp_path, "earlier"))


def test_settings_that_cannot_be_written_are_told_and_the_keys_go_where_they_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise SettingsError(f"The disk is full, the {len(tried)} time.")

    async def scenario(chat: Chat) -> None:
        for holder in (side(chat), chat.prompt):
            tried.append(holder)
            await chat.pilot.press("f6")
            await chat.until(lambda: chat.toasts(f"full, the {len(tried)} time."))
            await chat.until(lambda: holder.has_focus)  # noqa: B023
        assert not side(chat).display

    tried: list[object] = []
    monkeypatch.setattr(setting_sources, "keep_chat_list", full)
    play(scenario, filled(tmp_path, "earlier"), settings=FakeSettings())


def test_the_first_chat_is_gone_to_with_the_line_above_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: len(shown(chat)) > 20)
        await gone_to(chat)
        await chat.pilot.press("G")
        await chat.until(lambda: chosen(chat) == "question 0" and "Today" not in shown(chat))
        await chat.pilot.press("g")
        await chat.until(lambda: shown(chat)[:2] == ["Today", "▌ New chat"])
        assert chat.is_on_top

    play(scenario, filled(tmp_path, *(f"question {n}" for n in range(60))), size=MIDDLE)


def test_an_archived_chat_on_the_screen_has_a_row(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        [info] = history.chats(archived=True)
        await open_chat(chat.screen, info.id)
        await listed(chat, "Open", "▌ first", "Today", "  second")
        await gone_to(chat)
        assert chosen(chat) == "first"

    history = filled(tmp_path, "first", "second")
    history.archive(history.chats()[-1].id)
    play(scenario, history)


@pytest.mark.parametrize("stronger", ["--no-chat-list", "SLIPSTREAM_CHAT_LIST"])
def test_what_is_stronger_than_the_file_is_named(
    stronger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stronger.startswith("S"):
        monkeypatch.setenv(stronger, "off")
    args = Namespace(chat_list=False if stronger.startswith("-") else None)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await gone_to(chat)
        told = f"chat_list = true is kept in settings.toml, but {stronger} wins over it"
        await chat.until(lambda: chat.toasts(told))
        assert "chat_list = true" in Paths().settings_file.read_text("utf-8")
        assert keep_chat_list(True, args) == "", "it is so already"

    drive(scenario, FakeEngine(), WIDE, FakeSettings(), LocalModels(args, True))
