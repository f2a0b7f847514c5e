"""The line below the prompt says what Enter and Esc do to what stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings.habits import Habits
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine, FakeSettings

NEWLINE = FakeSettings(habits=Habits(enter="newline"))


def test_an_offer_that_enter_takes_and_a_command_that_it_does_are_told_apart() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Ctrl+J sends · Enter new line"))
        await chat.pilot.press(*"/the")
        await chat.until(lambda: chat.shows("Enter takes it · ↑ ↓ choose · Esc closes the list"))
        assert not chat.shows("Enter new line")
        await chat.pilot.press("escape", "backspace", "backspace", "backspace", *"help")
        await chat.until(lambda: chat.shows("Enter carries it out"))
        chat.prompt.text = ""
        await chat.pilot.press(*"/system Be")
        await chat.until(lambda: chat.shows("Ctrl+J sends · Enter new line"))

    drive(scenario, FakeEngine(), settings=NEWLINE)


def test_offers_of_which_none_is_chosen_leave_enter_alone_until_one_is() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"/think ")
        await chat.until(lambda: chat.prompt.is_completing)
        await chat.until(lambda: chat.shows("Enter carries it out"))
        await chat.pilot.press("down")
        await chat.until(lambda: chat.shows("Enter takes it"))
        await chat.pilot.press("escape")
        await chat.until(lambda: not chat.shows("Enter takes it"))
        assert chat.prompt.text == "/think ", "nothing was taken"

    drive(scenario, FakeEngine())


def test_files_that_may_be_meant_are_taken_by_tab(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("x")
    monkeypatch.chdir(tmp_path)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"see @")
        await chat.until(lambda: chat.shows("Enter sends · Tab takes the first"))
        await chat.pilot.press("tab")
        await chat.until(lambda: chat.shows("Enter sends · Ctrl+J new line"))
        assert chat.prompt.text == "see @notes.md "

    drive(scenario, FakeEngine())
