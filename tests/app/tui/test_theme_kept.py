"""A theme that is chosen, by whatever way, is there at the next start; a persona by a key."""

from __future__ import annotations

import argparse
import asyncio
import tomllib
from collections.abc import Awaitable, Callable

import pytest

from app.paths import Paths
from app.settings.config import settings_from
from app.settings.settings_file import SettingsFile
from app.settings.values import DEFAULT_THEME
from app.settings.values import THEMES as OFFERED
from app.tui.actions.tuning import give_back
from app.tui.chat_parts import ChatParts
from app.tui.preferences.setting_sources import keep_theme
from app.tui.preferences.themes import ABOUT, DARK, LIGHT, THEMES
from tests.app.tui.driving import WIDE, Chat, app_of, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings

Scenario = Callable[[Chat], Awaitable[None]]


def play(scenario: Scenario, flag: str | None = None) -> None:
    args = argparse.Namespace(theme=flag)

    async def run() -> None:
        fake = FakeEngine()
        app = app_of(
            ChatParts(fake, FakeSettings(), keep_theme=lambda name: keep_theme(name, args))
        )
        async with app.run_test(size=WIDE) as pilot:
            chat = await opened(app, pilot, fake)
            await chat.ready()
            await scenario(chat)

    asyncio.run(run())


def kept() -> dict[str, object]:
    file = Paths().settings_file
    return tomllib.loads(file.read_text()) if file.exists() else {}


def at_next_start() -> str:
    return settings_from(argparse.Namespace()).theme


async def by_slash(chat: Chat) -> None:
    await chat.pilot.press(*"/theme ligh", "tab", "enter")


async def by_key(chat: Chat) -> None:
    await chat.pilot.press("ctrl+t")


async def by_palette(chat: Chat) -> None:
    await chat.screen.action_act("theme")
    await chat.until(lambda: chat.shows("Search for themes"))
    await chat.pilot.press(*"light")
    await chat.until(lambda: chat.shows("textual-light"))
    await chat.pilot.press("enter")


@pytest.mark.parametrize("way", [by_slash, by_key, by_palette])
def test_a_theme_that_is_chosen_is_there_at_the_next_start(way: Scenario) -> None:
    async def scenario(chat: Chat) -> None:
        await way(chat)
        await chat.until(lambda: chat.app.theme == LIGHT.name)
        await chat.until(lambda: kept() == {"theme": LIGHT.name})
        assert at_next_start() == LIGHT.name

    play(scenario)


def test_nothing_is_written_by_starting_or_by_going_back_to_what_holds_anyway() -> None:
    async def scenario(chat: Chat) -> None:
        assert not Paths().settings_file.exists()
        SettingsFile(Paths().settings_file).set("theme", LIGHT.name)
        await chat.pilot.press("ctrl+t")
        SettingsFile(Paths().settings_file).unset("theme")
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: chat.app.theme == DARK.name)
        assert kept() == {}

    play(scenario)


def test_light_and_dark_change_places_and_other_themes_go_to_the_other_side() -> None:
    async def scenario(chat: Chat) -> None:
        ways = []
        for name in ("light", "dark", "contrast", "ansi", "textual-light"):
            chat.app.theme = name
            await chat.pilot.press("ctrl+t")
            ways.append(chat.app.theme)
        assert ways == ["dark", "light", "light", "light", "dark"]

    play(scenario)


def test_the_other_side_and_back_is_the_theme_that_was_chosen() -> None:
    async def scenario(chat: Chat) -> None:
        chat.app.theme = "nord"
        await chat.pilot.press("ctrl+t")
        assert chat.app.theme == "light"
        await chat.pilot.press("ctrl+t")
        assert (chat.app.theme, kept()) == ("nord", {"theme": "nord"})
        await chat.pilot.press("ctrl+t", "ctrl+t")
        assert chat.app.theme == "nord"

    play(scenario)


@pytest.mark.parametrize("stronger", ["--theme", "SLIPSTREAM_THEME"])
def test_what_is_stronger_than_the_file_is_named(
    stronger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stronger.startswith("S"):
        monkeypatch.setenv(stronger, "dark")

    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act("theme", "contrast")
        await chat.until(lambda: chat.toasts(f"contrast is kept in settings.toml, but {stronger}"))
        assert kept() == {"theme": "contrast"}

    play(scenario, flag="dark" if stronger == "--theme" else None)


def test_a_theme_that_is_given_back_is_shown_and_not_kept() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: kept() == {"theme": LIGHT.name})
        SettingsFile(Paths().settings_file).unset("theme")
        give_back(chat.screen, "theme", "contrast")
        await chat.until(lambda: chat.app.theme == "contrast")
        assert kept() == {} and not chat.app._is_trying

    play(scenario)


def test_a_theme_that_is_not_there_changes_nothing_and_a_line_says_so() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act("theme", "mauve")
        await chat.until(lambda: chat.toasts("There is no theme 'mauve'"))
        assert (chat.app.theme, kept()) == (DARK.name, {})

    play(scenario)


def test_a_settings_file_that_cannot_be_changed_is_a_line_and_the_theme_holds_for_now() -> None:
    Paths().settings_file.parent.mkdir(parents=True, exist_ok=True)
    Paths().settings_file.write_text("theme = \n")

    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: chat.toasts("Cannot read"))
        assert chat.app.theme == LIGHT.name
        assert Paths().settings_file.read_text() == "theme = \n"

    play(scenario)


def test_under_no_color_a_choice_is_kept_and_it_is_said_that_it_is_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: chat.toasts("NO_COLOR is set"))
        assert kept() == {"theme": LIGHT.name}

    play(scenario)


def test_the_flag_offers_the_themes_that_there_are() -> None:
    assert [theme.name for theme in THEMES] == list(OFFERED) == list(ABOUT)
    assert DARK.name == DEFAULT_THEME


def test_a_theme_that_is_highlighted_is_seen_and_only_the_chosen_one_is_kept() -> None:
    async def scenario(chat: Chat) -> None:
        before = chat.app.theme
        await chat.screen.action_act("theme")
        await chat.until(lambda: chat.shows("Search for themes"))
        await chat.until(lambda: chat.shows("contrast"))
        assert chat.app.theme == before
        await chat.pilot.press("down", "down")
        await chat.until(lambda: chat.app.theme != before)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert (chat.app.theme, kept()) == (before, {})
        await chat.screen.action_act("theme")
        await chat.until(lambda: chat.shows("Search for themes"))
        await chat.until(lambda: chat.shows("contrast"))
        await chat.pilot.press("down", "down")
        await chat.until(lambda: chat.app.theme != before)
        seen = chat.app.theme
        await chat.pilot.press("enter")
        await chat.until(lambda: kept() == {"theme": seen})
        assert chat.app.theme == seen

    play(scenario)
