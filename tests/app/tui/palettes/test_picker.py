"""What is chosen from is on the screen as a whole, however low the terminal is or becomes."""

from __future__ import annotations

import pytest
from textual import events
from textual.command import CommandList, CommandPalette

from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import FakeEngine

SIZES = ((60, 14), (40, 10), (80, 23), NARROW)
LAST = "Translator"


async def opened(chat: Chat, command: str) -> CommandList:
    """Return the list that a command shows, once it is there."""
    await chat.ready()
    await chat.ask(command)
    await chat.until(lambda: isinstance(chat.app.screen, CommandPalette))
    commands = chat.app.screen.query_one(CommandList)
    await chat.until(lambda: commands.option_count > 1 and bool(commands.region))
    return commands


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_list_to_choose_from_ends_where_the_terminal_does(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        for command in ("/persona", "/prompt", "/theme"):
            commands = await opened(chat, command)
            assert commands.region.height > 3
            assert commands.region.bottom <= size[1]
            await chat.pilot.press("escape")
            await chat.until(lambda: chat.is_on_top)
        await chat.pilot.press("ctrl+p")
        await chat.until(lambda: bool(chat.app.screen.query(CommandList)))
        commands = chat.app.screen.query_one(CommandList)
        await chat.until(lambda: commands.option_count > 9)
        assert 3 < commands.region.height <= size[1] - commands.region.y

    drive(scenario, FakeEngine(), size)


def test_the_row_that_enter_takes_stays_in_sight_where_the_terminal_gets_lower() -> None:
    async def scenario(chat: Chat) -> None:
        commands = await opened(chat, "/persona")
        await chat.pilot.press("ctrl+end")
        await chat.until(lambda: chat.shows(LAST))
        await chat.pilot.resize_terminal(NARROW[0], 14)
        await chat.until(lambda: commands.region.bottom <= 14)
        await chat.until(lambda: chat.shows(LAST))
        assert commands.region.bottom <= 14, "nothing grows again for the row's sake"
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.screen.chosen.get("persona") == LAST)

    drive(scenario, FakeEngine(), NARROW)


@pytest.mark.parametrize("key", ["pagedown", "pageup"])
def test_a_page_that_is_turned_before_the_list_is_laid_out_breaks_nothing(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for each in ("ctrl+p", key, "escape"):
            chat.app.post_message(events.Key(each, None))
        await chat.until(lambda: chat.is_on_top and not chat.app._exception)
        await chat.pilot.pause(0.3)
        assert chat.app.return_code is None

    drive(scenario, FakeEngine())
