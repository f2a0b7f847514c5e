"""Keys that leave a screen may come at once, or late: it is left once, and the chat stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from app.tui.screens.left_once import LeftOnce
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_escape_and_a_key import OPENED, PUSHED, at_once, lay_over

KEYS = [("enter", "enter"), ("down", "enter", "escape")]


@pytest.mark.parametrize("keys", KEYS, ids="-".join)
@pytest.mark.parametrize("name", [*PUSHED, *OPENED])
def test_several_keys_that_leave_a_screen_leave_the_chat_there(
    name: str, keys: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await lay_over(chat, name, history)
        for _ in range(6):
            await chat.pilot.pause()
        assert isinstance(chat.app.screen, LeftOnce)
        await at_once(chat, *keys)
        for _ in range(6):
            await chat.pilot.pause()
        assert chat.app.is_running
        assert chat.app.screen_stack[0] is chat.screen

    monkeypatch.chdir(tmp_path)
    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(Answer(words("An answer.")))
    drive(scenario, engine, models=FakeModels(), history=history)


def test_a_second_enter_does_not_do_again_what_was_chosen() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+p", *"colours")
        await chat.until(lambda: chat.shows("each word by who guessed it"))
        await chat.pilot.pause()
        assert chat.screen.guesses
        await at_once(chat, "enter", "enter")
        await chat.until(lambda: chat.is_on_top and not chat.screen.guesses)
        for _ in range(6):
            await chat.pilot.pause()
        assert not chat.screen.guesses

    drive(scenario, FakeEngine())
