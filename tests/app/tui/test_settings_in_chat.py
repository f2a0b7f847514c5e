"""F2 in a chat: what it shows and takes back is of the model that is open there."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.history import History
from app.models.catalog import DEFAULT_PAIR, load_catalog
from app.paths import Paths
from app.settings.config import settings_from
from app.settings.settings_file import SettingsFile
from app.tui.models.local_models import LocalModels
from app.tui.preferences.own_settings import said_by
from app.tui.preferences.themes import DARK, LIGHT
from app.tui.screens.settings import SettingsScreen
from app.tui.widgets.setting_list import SettingList
from engine import SamplingSettings
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine

USUAL = SamplingSettings().temperature


def test_files_that_came_back_have_their_own_settings_and_delete_brings_these_back() -> None:
    catalog = load_catalog()
    target = catalog.members(catalog.pair(DEFAULT_PAIR))[0].own_path
    settings = settings_from(argparse.Namespace(), lambda: {"model": str(target)})
    assert settings.sampling.temperature == USUAL

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f2")
        await chat.until(lambda: isinstance(chat.app.screen, SettingsScreen))
        await chat.until(lambda: chat.shows(f"temperature {USUAL:g} default"))
        await chat.pilot.press("enter", *"1.25", "enter")
        await chat.until(lambda: chat.shows("temperature 1.25 this chat"))
        assert chat.screen.chosen == {"temp": 1.25}
        await chat.pilot.press("delete")
        await chat.until(lambda: chat.shows(f"temperature {USUAL:g} default"))
        assert chat.screen.chosen == {}, "another pair has its own temperature"
        assert chat.screen.session.conversation.sampling.temperature == USUAL

    models = LocalModels(argparse.Namespace(), offline=True)
    drive(scenario, FakeEngine(), WIDE, settings, models)


def test_the_longest_answer_holds_from_the_next_question_on() -> None:
    settings = settings_from(argparse.Namespace(), lambda: {"pair": "demo"})
    engine = FakeEngine()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered()
        await chat.pilot.press("f2")
        await chat.until(lambda: chat.shows("longest answer no limit default"))
        await chat.until(lambda: isinstance(chat.app.screen, SettingsScreen))
        rows = chat.app.screen.query_one(SettingList).rows
        rows.highlighted = rows.get_option_index("predict")
        await chat.until(lambda: chat.shows("/continue goes on"))
        await chat.pilot.press("enter", *"0", "enter")
        await chat.until(lambda: chat.shows("longest answer: should be 1 or more"))
        await chat.pilot.press("backspace", *"64", "enter")
        await chat.until(lambda: chat.shows("longest answer 64 this chat"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await chat.ask("two")
        await chat.answered(2)
        assert engine.predicts == [None, 64]

    drive(scenario, engine, WIDE, settings, LocalModels(argparse.Namespace(), offline=True))


def test_a_theme_that_a_key_changes_meanwhile_is_the_one_that_is_shown() -> None:
    settings = settings_from(argparse.Namespace(), lambda: {"pair": "demo"})

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f2")
        await chat.until(lambda: chat.shows(f"theme {DARK.name} "))
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: chat.app.theme == LIGHT.name)
        await chat.until(lambda: chat.shows(f"theme {LIGHT.name} "))
        assert not chat.shows(f"theme {DARK.name} ")

    drive(scenario, FakeEngine(), WIDE, settings, LocalModels(argparse.Namespace(), offline=True))


def kept_settings(chat: Chat) -> dict[str, object]:
    history, number = chat.screen.history, chat.screen.tabs.open.current.number
    assert history is not None and number is not None and history.flush()
    return dict(history.chat(number).settings)


async def set_temp(chat: Chat, value: str) -> None:
    """Change the temperature in F2, which stays open."""
    await chat.pilot.press("f2")
    await chat.until(lambda: isinstance(chat.app.screen, SettingsScreen))
    await chat.until(lambda: chat.shows("temperature 0 pair"))
    await chat.pilot.press("enter", *value, "enter")
    await chat.until(lambda: chat.shows(f"temperature {value} this chat"))


def test_what_is_kept_for_every_chat_is_no_choice_of_one_any_more(tmp_path: Path) -> None:
    settings = settings_from(argparse.Namespace(), lambda: {"pair": "demo"})
    engine = FakeEngine()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered()
        await set_temp(chat, "1.25")
        await chat.until(lambda: kept_settings(chat) == {"temp": 1.25})
        await chat.pilot.press("s")
        await chat.until(lambda: chat.shows("temperature 1.25 settings.toml"))
        await chat.until(lambda: kept_settings(chat) == {})
        assert SettingsFile(Paths().settings_file).values() == {"temp": 1.25}
        await chat.pilot.press("escape", "ctrl+n")
        await chat.until(lambda: chat.is_on_top and not chat.turns)
        await chat.ask("two")
        await chat.answered()
        assert engine.samplings[-1].temperature == 1.25 and not kept_settings(chat)

    history = History.open(tmp_path / "history.db")
    models = LocalModels(argparse.Namespace(), offline=True)
    drive(scenario, engine, WIDE, settings, models, history)


def test_what_is_taken_back_is_not_kept_with_the_chat(tmp_path: Path) -> None:
    settings = settings_from(argparse.Namespace(), lambda: {"pair": "demo"})
    engine = FakeEngine()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("one")
        await chat.answered()
        await set_temp(chat, "1.25")
        await chat.pilot.press("delete")
        await chat.until(lambda: chat.shows("temperature 0 pair"))
        assert kept_settings(chat) == {} and not chat.screen.chosen
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await chat.until(lambda: not chat.shows("T 0"))
        await chat.ask("two")
        await chat.answered(2)
        assert engine.samplings[-1].temperature == 0

    history = History.open(tmp_path / "history.db")
    models = LocalModels(argparse.Namespace(), offline=True)
    drive(scenario, engine, WIDE, settings, models, history)


def said(**flags: object) -> dict[str, object]:
    args = argparse.Namespace(**flags)
    return dict(said_by(args, settings_from(args, lambda: {"pair": "demo"})))


def test_flags_choose_what_they_say_and_nothing_else_does() -> None:
    SettingsFile(Paths().settings_file).set("top_k", 7)
    assert said() == {}
    assert said(temp=0.25, think=False) == {"temp": 0.25, "think": False}
    far = {"repeat_penalty": 1.1, "repeat_last_n": 256}
    assert said(**far) == far
    assert said(system="Be brief.") == {"system": "Be brief.", "persona": None}


def test_a_persona_by_flag_is_chosen_with_its_sampling_where_nothing_is_stronger() -> None:
    Paths().ensure().personas_file.write_text(
        '[Poet]\nsystem = "Rhyme."\ntemp = 1.5\nmin_p = 0.25\n', "utf-8"
    )
    poet = {"system": "Rhyme.", "persona": "Poet", "temp": 1.5, "min_p": 0.25}
    assert said(persona="poet") == poet
    assert said(persona="poet", temp=0.5) == {**poet, "temp": 0.5}
    SettingsFile(Paths().settings_file).set("min_p", 0.5)
    assert "min_p" not in said(persona="poet"), "the file is stronger, and may change"
