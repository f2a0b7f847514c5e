"""A key gives the mouse to the terminal and takes it back, and it is seen who has it."""

from __future__ import annotations

import pytest

from app.tui.keys.keymap import DEFAULT
from app.tui.terminal.mouse import FREE, TAKEN
from app.tui.widgets import top_bar
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine

MOUSE_IS_FREE = DEFAULT.told(top_bar.MOUSE_IS_FREE)


def written_by(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is written to the terminal from now on, past the screen."""
    written: list[str] = []
    monkeypatch.setattr(chat.app._driver, "write", written.append)
    return written


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_key_gives_the_mouse_away_and_takes_it_back(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        written = written_by(chat, monkeypatch)
        await chat.pilot.press("f4")
        await chat.until(lambda: MOUSE_IS_FREE in chat.lines[0])
        marked = [part for part in chat.segments()[0] if MOUSE_IS_FREE in part.text]
        assert marked and marked[0].style and marked[0].style.bold and marked[0].style.reverse
        assert FREE in written and TAKEN not in written
        await chat.pilot.press("f4")
        await chat.until(lambda: MOUSE_IS_FREE not in chat.lines[0])
        assert written.index(TAKEN) > written.index(FREE)

    drive(scenario, FakeEngine(), size)


def test_the_command_does_what_the_key_does(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        written = written_by(chat, monkeypatch)
        await chat.ask("/mouse")
        await chat.until(lambda: chat.toasts("F4 ends it"))
        assert FREE in written

    drive(scenario, FakeEngine())


def test_a_mouse_that_was_given_away_stays_so_when_the_app_comes_to_the_front_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        written = written_by(chat, monkeypatch)
        chat.app.app_resume_signal.publish(chat.app)
        await chat.pilot.pause()
        assert FREE not in written
        await chat.pilot.press("f4")
        await chat.until(lambda: FREE in written)
        written.clear()
        chat.app.app_resume_signal.publish(chat.app)
        await chat.until(lambda: FREE in written)
        assert TAKEN not in written

    drive(scenario, FakeEngine())
