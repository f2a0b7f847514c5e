"""The memory of a screen that was closed is given back in a pause."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from time import perf_counter

import pytest
from textual._styles_cache import StylesCache
from textual.events import Key
from textual.screen import Screen

from app.garbage import PAUSE_S, spared
from app.tui.screens.help import HelpScreen
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

LONG_S = 300.0
"""Longer than what lies between two keys of a test."""


@pytest.fixture(autouse=True)
def collected_as_in_the_app(frozen_again: None) -> Iterator[None]:
    before = gc.get_threshold()
    with spared():
        pass
    gc.set_threshold(2_000, 10_000, 10_000)  # nothing but a pause has all looked through
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def helps() -> list[Screen[None]]:
    return [each for each in gc.get_objects() if type(each) is HelpScreen]


def painted() -> int:
    """Return how many widgets have something kept of what was painted of them."""
    return sum(type(each) is StylesCache for each in gc.get_objects())


async def looked_at(chat: Chat) -> None:
    """Open the help and close it."""
    await chat.pilot.press("f1")
    await chat.until(lambda: not chat.is_on_top)
    await chat.pilot.press("escape")
    await chat.until(lambda: chat.is_on_top)


def test_a_closed_screen_is_given_back_in_a_pause_not_while_an_answer_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.tui.background.pauses.LOOK_S", 0.01)

    def pauses_last(pause_s: float) -> None:
        monkeypatch.setattr("app.garbage.PAUSE_S", pause_s)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        n_painted = painted()
        await looked_at(chat)
        await chat.pilot.pause(0.1)
        assert helps()
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: not helps() and painted() <= n_painted)
        pauses_last(LONG_S)
        await looked_at(chat)
        await chat.app._post_message(Key("a", "a"))  # as the terminal does
        assert perf_counter() < chat.app.last_input_at + LONG_S
        chat.app.last_input_at += 3600.0
        pauses_last(PAUSE_S)
        await chat.pilot.pause(0.1)
        assert helps()

    drive(scenario, FakeEngine(Answer(words("one two"), hold_after=1)))
