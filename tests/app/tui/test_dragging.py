"""The mouse is dragged over every screen: text is selected or not, and nothing breaks."""

from __future__ import annotations

import pytest

from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine


@pytest.mark.parametrize("key", ["f1", "ctrl+p", "alt+a", "ctrl+x", "alt+s"])
def test_a_drag_over_a_screen_breaks_nothing(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press(key)
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        above = chat.app.screen
        for y in range(0, above.size.height, 3):
            await chat.pilot.mouse_down(offset=(10, y))
            await chat.pilot.hover(offset=(40, y))
            await chat.pilot.mouse_up(offset=(40, y))
            if chat.app.screen is not above:
                break
        await chat.pilot.pause()
        assert chat.app.return_code is None and chat.app._exception is None

    drive(scenario, FakeEngine())
