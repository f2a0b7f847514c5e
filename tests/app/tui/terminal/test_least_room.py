"""No width ends the app, whatever is on the screen: a pane may be dragged to its edge."""

from __future__ import annotations

import pytest

from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import FakeEngine


@pytest.mark.parametrize("key", ["", "f1", "ctrl+p"])
def test_a_terminal_of_a_few_columns_breaks_nothing(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        if key:
            await chat.pilot.press(key)
            await chat.until(lambda: not chat.is_on_top)
        for columns in (6, 4, 1, *NARROW[:1]):
            await chat.pilot.resize_terminal(columns, NARROW[1])
            await chat.pilot.pause(0.1)
            assert chat.app.return_code is None
        assert chat.app.screen.size.width == NARROW[0]

    drive(scenario, FakeEngine())
