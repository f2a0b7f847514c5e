"""The logs are read, selected and copied in the app, from their end on."""

from __future__ import annotations

import pytest

from app.paths import Paths
from app.tui.screens.log import LogScreen
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine


@pytest.mark.parametrize("size", [*SIZES, (30, 8)], ids=str)
def test_the_end_of_the_engines_log_is_shown_and_stays_as_it_is(size: tuple[int, int]) -> None:
    log = Paths().ensure().engine_log
    lines = "".join(f"llama says {n}\n" for n in range(100))
    log.write_text(lines)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/log")
        await chat.until(lambda: isinstance(chat.app.screen, LogScreen))
        await chat.until(lambda: chat.shows("llama says 99") and chat.shows("Logs"))
        assert not chat.shows("llama says 1 ")
        await chat.pilot.press("x", "shift+home", "ctrl+c")
        await chat.until(lambda: chat.app.clipboard == "llama says 99")
        assert isinstance(chat.app.screen, LogScreen)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert log.read_text() == lines

    drive(scenario, FakeEngine(), size)
