"""The palette finds what can be done now by whatever it is called, and shows its key."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from textual.command import CommandPalette

from app.tui.palettes.commands import MAY_BE_TYPED, NOT_IN_CHAT, Commands
from app.tui.palettes.entry import Entry
from app.tui.screens.help import HelpScreen
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

JOIN = words("It joins one or more path segments.")


async def found(chat: Chat, wanted: str) -> list[str]:
    """Return the titles that are offered, the best first."""
    hits = [hit async for hit in Commands(chat.screen).search(wanted)]
    return [str(hit.text) for hit in sorted(hits, key=lambda hit: hit.score, reverse=True)]


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("quit", "Quit"),
        ("exit", "Quit"),
        ("speed", "Why so fast"),
        ("why", "Why so fast"),
        ("inspect", "Why so fast"),
        ("x-ray", "Colours"),
        ("color", "Colours"),
        ("temperature", "Temperature"),
        ("change", "Settings"),
        ("clear", "New chat"),
        ("copy code", "Copy code"),
        ("save", "Export"),
        ("share", "Export"),
        ("fork", "Branch"),
        ("install", "Models"),
        ("keys", "Help"),
        ("key bindings", "Help"),
    ],
)
def test_a_command_is_found_by_any_of_its_names(wanted: str, title: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert title in await found(chat, wanted)

    drive(scenario, FakeEngine())


def test_the_title_weighs_more_than_other_names_and_these_more_than_what_is_said() -> None:
    titled, named, said = (
        Entry("Stop", "end it", print),
        Entry("End", "halt it", print, "stop"),
        Entry("Colours", "or stop colouring", print),
    )
    assert titled.worth("stop") > named.worth("stop") > said.worth("stop") > 0
    assert titled.worth("stop halt") == titled.worth("") == titled.worth("top") == 0


def test_what_makes_no_sense_yet_is_found_by_what_is_said_about_it_where_nothing_else_is() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert "Retry" in await found(chat, "again")
        assert "Export" not in await found(chat, "model")

    drive(scenario, FakeEngine())


def test_stopping_is_offered_only_where_there_is_something_to_stop() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert (await found(chat, "stop"))[0] == "Stop"
        (hit,) = [hit async for hit in Commands(chat.screen).search("stop") if hit.text == "Stop"]
        assert hit.help == "Nothing is being answered, waits or is chosen here."
        hit.command()
        await chat.until(lambda: chat.toasts("Nothing is being answered"))
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        assert (await found(chat, "stop"))[0] == "Stop"
        chat.engine.release()

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)))


def test_the_keys_are_told_by_the_help_and_not_twice() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert await found(chat, "keys") == ["Help", "Around the chat"]

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_typed_into_the_palette_shows_the_key_and_does_it(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.pilot.press(*"exit")
        await chat.until(lambda: chat.shows("Quit Ctrl+Q Leave"))
        assert not chat.shows("Models Ctrl+O")
        await chat.pilot.press("enter")
        await chat.until(lambda: not chat.app.is_running)

    drive(scenario, FakeEngine(), size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_palette_without_a_hit_says_so_and_what_may_be_typed(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.pilot.press(*"[b]zz")
        await chat.until(lambda: chat.shows("Nothing is called “[b]zz”"))
        assert chat.shows(MAY_BE_TYPED)
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("@FILE names one in a message"))
        assert isinstance(chat.app.screen, CommandPalette)

    drive(scenario, FakeEngine(), size)


def test_a_palette_over_another_screen_says_where_the_commands_of_a_chat_are() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f1")
        await chat.until(lambda: isinstance(chat.app.screen, HelpScreen))
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
        await chat.pilot.press(*"export")
        await chat.until(lambda: chat.shows("Nothing is called “export”"))
        assert chat.shows(NOT_IN_CHAT)

    drive(scenario, FakeEngine())


def test_the_palette_does_not_offer_to_hide_the_chat_behind_its_prompt() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        offered = {title for title, *_ in chat.app.get_system_commands(chat.screen)}
        assert "Maximize" in offered
        assert "Maximize" not in await found(chat, "maximize")
        assert "Theme" in await found(chat, "theme")

    drive(scenario, FakeEngine())


def test_a_picture_of_the_screen_goes_to_the_current_folder_or_it_is_said_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        commands = {title: run for title, _, run, *_ in chat.app.get_system_commands(chat.screen)}
        commands["Screenshot"]()
        await chat.until(lambda: chat.toasts(str(folder / "Slipstream.svg")))
        assert "<svg" in (folder / "Slipstream.svg").read_text("utf-8")
        monkeypatch.setattr("app.private_file.write_new", full)
        commands["Screenshot"]()
        await chat.until(lambda: chat.toasts("No space left on device"))

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    drive(scenario, FakeEngine())
