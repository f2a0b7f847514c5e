"""A persona, a drafter or a line about oneself is chosen from a list where none is named."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.command import CommandPalette

from app.paths import Paths
from app.tui.actions import ACTIONS
from app.tui.widgets.top_bar import TopBar
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.keeping import do, play


async def listed(chat: Chat, command: str) -> None:
    """Have the list that a command alone shows."""
    await chat.ask(command)
    await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))


def first_line(chat: Chat) -> str:
    return str(chat.screen.query_one(TopBar).render())


def test_a_persona_is_chosen_among_all_and_the_one_that_answers_is_marked() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await listed(chat, "/persona")
        await chat.until(lambda: chat.shows("Answer in as few words as the question allows."))
        assert not chat.shows("● now")
        await chat.pilot.press(*"conc")
        await chat.until(lambda: not chat.shows("Teacher"))
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.screen.chosen.get("persona") == "Concise")
        await listed(chat, "/persona")
        await chat.until(lambda: chat.shows("Concise ● now"))

    drive(scenario, FakeEngine(), WIDE)


def test_a_drafter_is_chosen_among_all_and_the_empty_chat_says_who_drafts_now() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("lookup and draft model guess ahead"))
        await listed(chat, "/draft")
        await chat.until(lambda: chat.shows("auto ● now lookup and the draft model"))
        await chat.pilot.press(*"look", "enter")
        await chat.until(lambda: chat.toasts("Drafts are made by lookup."))
        await chat.until(lambda: chat.shows("lookup guesses ahead"))
        assert not chat.shows("draft model guess ahead")
        for name, said in (("none", "Nothing guesses"), ("auto", "lookup and draft model guess")):
            await chat.ask(f"/draft {name}")
            await chat.until(lambda said=said: chat.shows(said))

    drive(scenario, FakeEngine(), WIDE)


def test_a_line_is_forgotten_by_its_number_from_the_list_or_by_its_words(tmp_path: Path) -> None:
    def known() -> list[str]:
        return Paths().about_file.read_text("utf-8").splitlines()

    async def talks(chat: Chat) -> None:
        await do(chat, "/forget")
        await chat.until(lambda: chat.shows("New chats know nothing about you"))
        await do(chat, *(f"/remember I like {each}." for each in ("tea", "rain", "go", "jam")))
        await chat.until(lambda: not chat.shows("know nothing"))
        await do(chat, "/remember")
        await chat.until(lambda: chat.shows("1 I like tea. 2 I like rain."))
        await do(chat, "/remember")
        await chat.until(lambda: chat.text.count("/forget 1 takes") == 1)
        await do(chat, "/forget 2")
        assert known() == ["- I like tea.", "- I like go.", "- I like jam."]
        await chat.until(lambda: not chat.shows("2 I like rain."))
        await do(chat, "/forget I like tea.")
        await do(chat, "/forget 3")
        await chat.until(lambda: chat.toasts("no line '3'"))
        await listed(chat, "/forget")
        await chat.pilot.press(*"jam", "enter")
        await chat.until(lambda: known() == ["- I like go."])

    play(tmp_path, talks)


@pytest.mark.parametrize("width", [160, 60, 40])
def test_the_first_line_says_what_a_chat_has_of_its_own_where_it_has_room(width: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await do(chat, "/persona Concise", "/temp 0.2", "/seed 7")
        await chat.until(lambda: ("Concise · T 0.2 · seed 7" in first_line(chat)) == (width > 40))
        assert "ready" in first_line(chat)
        await do(chat, "/system Be brief.")
        await chat.until(lambda: "Concise" not in first_line(chat))
        assert ("system prompt · T 0.2" in first_line(chat)) == (width > 40)

    drive(scenario, FakeEngine(), (width, 24))


def invalid(path: Path) -> None:
    path.write_text("[Wrong\n")


def unknown(path: Path) -> None:
    path.write_text('[Wrong]\nsystem = "So."\ncolour = "red"\n')


def latin(path: Path) -> None:
    path.write_bytes(b'[Wrong]\nsystem = "\xe4"\n')


@pytest.mark.parametrize("make", [invalid, unknown, latin, Path.mkdir, os.mkfifo])
def test_a_file_that_is_broken_is_told_of_by_the_command_and_offers_nothing(
    make: Callable[[Path], None],
) -> None:
    paths = Paths()
    paths.config_dir.mkdir(parents=True, exist_ok=True)
    for path in (paths.personas_file, paths.about_file, paths.own_catalog, paths.settings_file):
        make(path)
    paths.prompts_dir.mkdir()
    make(paths.prompts_dir / "wrong.md")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        offered = [each for each in ACTIONS.values() if each.choices]
        names = {each.name: [*each.choices(chat.screen, "")] for each in offered if each.choices}
        assert len(names) > 10 and names["persona"] == [] and "wrong" in dict(names["prompt"])
        for command in ("/persona", "/persona Concise"):
            chat.toasted.clear()
            chat.prompt.insert("/persona ")
            await chat.pilot.pause()
            chat.prompt.text = ""
            await chat.ask(command)
            await chat.until(lambda: chat.toasts(paths.personas_file.name))
            assert chat.is_on_top and not chat.screen.chosen

    drive(scenario, FakeEngine())
