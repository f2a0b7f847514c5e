"""F2 in a chat: what it shows and takes back is of the model that is open there."""

from __future__ import annotations

import argparse

from app.config import settings_from
from app.models.catalog import DEFAULT_PAIR, load_catalog
from app.tui.models_room import LocalModels
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

    room = LocalModels(argparse.Namespace(), offline=True)
    drive(scenario, FakeEngine(), WIDE, settings, room)


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
        chat.app.screen.query_one(SettingList).highlight("predict")
        await chat.until(lambda: chat.shows("Ctrl+Y goes on with one that was cut off"))
        await chat.pilot.press("enter", *"0", "enter")
        await chat.until(lambda: chat.shows("predict: should be 1 or more"))
        await chat.pilot.press("backspace", *"64", "enter")
        await chat.until(lambda: chat.shows("longest answer 64 this chat"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await chat.ask("two")
        await chat.answered(2)
        assert engine.predicts == [None, 64]

    drive(scenario, engine, WIDE, settings, LocalModels(argparse.Namespace(), offline=True))
