"""Lists have the room that what is told of a row leaves them, and their row stays in sight."""

from __future__ import annotations

import argparse

import pytest

from app.tui.preferences.setting_sources import settings_now
from app.tui.screens.settings import SettingsScreen
from app.tui.widgets.pair_list import PairList
from app.tui.widgets.setting_list import SettingList
from tests.app.tui.alone import Seen
from tests.app.tui.alone import drive as drive_alone
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import FakeModels, offer
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.test_settings_screen import LOOKS

HEIGHTS = pytest.mark.parametrize(
    ("size", "least"), [((80, 24), 10), ((60, 15), 5), ((160, 50), 20)], ids=str
)


@HEIGHTS
def test_the_list_of_settings_has_the_room(size: tuple[int, int], least: int) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("top-k 40")
        rows = seen.app.shown.query_one(SettingList).rows
        await seen.until(lambda: rows.size.height >= least)
        while rows.highlighted is None or rows.highlighted < least - 1:
            await seen.press("down")
        await seen.press("enter")
        await seen.until(lambda: rows.scroll_y + rows.size.height > (rows.highlighted or 0))
        assert rows.scroll_y <= rows.highlighted, "the row is in sight below the first one, too"

    screen = SettingsScreen(
        lambda: settings_now(argparse.Namespace(), {"pair": "demo"}, {}, LOOKS),
        lambda name, value: "",
        lambda name, value: "",
    )
    drive_alone(screen, scenario, size)


@HEIGHTS
def test_the_list_of_pairs_has_the_room(size: tuple[int, int], least: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.open_models()
        rows = chat.models.query_one(PairList).rows
        await chat.until(lambda: rows.size.height >= least)
        assert chat.models.query_one("#details").size.height >= 4

    pairs = [offer(f"pair-{n}") for n in range(20)]
    drive(scenario, FakeEngine(), size, models=FakeModels(*pairs))
