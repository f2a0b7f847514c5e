"""The engine's memory is shown as long as there is an engine."""

from __future__ import annotations

import os

from engine import EngineDied
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words


class HeavyEngine(FakeEngine):
    """Lives in the process of the test, until that is gone."""

    is_gone = False

    @property
    def pid(self) -> int | None:
        return os.getpid() if self.alive and not self.is_gone else None


def test_the_memory_of_an_engine_goes_with_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("engine memory"))
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.until(lambda: not chat.shows("engine memory"))
        await chat.ask("question")
        await chat.answered()
        await chat.until(lambda: chat.shows("engine memory"))
        assert chat.screen.figures.ready is not None

    drive(scenario, HeavyEngine(Answer(words("one two"))), WIDE)


def test_an_engine_that_died_holds_no_memory() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("engine memory"))
        engine.is_gone = True
        await chat.ask("question")
        await chat.until(lambda: chat.state == "down")
        await chat.until(lambda: not chat.shows("engine memory"))
        assert chat.state == "down"

    death = EngineDied("The engine ended by SIGSEGV.", "Log: /tmp/engine.log")
    engine = HeavyEngine(Answer(words("one two"), die_after=1), load_errors=[None, *[death] * 9])
    drive(scenario, engine, WIDE)
