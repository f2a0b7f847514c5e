"""A session keeps nobody waiting who leaves, and places a pair where none is loaded."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import msgspec
from textual.message import Message

from app.errors import FitError
from app.tui.serving.messages import EngineUnloaded, SwitchFailed
from app.tui.serving.orders import SessionSettings
from app.tui.serving.session import Session
from engine import PairSettings
from tests.app.tui.fakes import FakeEngine, FakeSettings, wait_until

LONG_S = 20.0


def test_who_leaves_does_not_wait_for_where_the_pair_is_to_be_loaded() -> None:
    begun, over = threading.Event(), threading.Event()
    posted: list[Message] = []

    def look(settings: SessionSettings) -> PairSettings:
        begun.set()
        over.wait(LONG_S)
        over.set()
        return settings.pair

    async def leave() -> None:
        session = Session(FakeEngine(), FakeSettings(), posted.append, look)
        serving = asyncio.create_task(session.serve())
        while not begun.is_set():
            await asyncio.sleep(0)
        serving.cancel()

    asyncio.run(leave())
    assert not over.is_set()
    over.set()


class Lingering(FakeEngine):
    """Takes its time to end."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def close(self) -> None:
        await super().close()
        await self.may_end.wait()


def test_an_engine_is_told_to_be_unloaded_once_it_has_ended() -> None:
    posted: list[Message] = []

    async def unload() -> str:
        engine = Lingering()
        session = Session(engine, FakeSettings(), posted.append)
        serving = asyncio.create_task(session.serve())
        await wait_until(lambda: session.state == "ready")
        engine.may_end.clear()
        n_closed = engine.closed
        await session.unload()
        await wait_until(lambda: engine.closed > n_closed)
        before = session.state
        engine.may_end.set()
        await wait_until(lambda: session.state == "unloaded")
        serving.cancel()
        return before

    assert asyncio.run(unload()) != "unloaded"
    assert isinstance(posted[-1], EngineUnloaded)


def switched_to(other: FakeSettings, posted: list[Message], too_large: object) -> FakeEngine:
    """Load a pair, then another, on a machine that has room for one, and for none too large."""
    engine = FakeEngine()

    def look(settings: SessionSettings) -> PairSettings:
        if engine.alive or settings is too_large:
            raise FitError(f"{settings.title} does not fit.")
        return settings.pair

    async def switch() -> None:
        session = Session(engine, FakeSettings(), posted.append, look)
        serving = asyncio.create_task(session.serve())
        await wait_until(lambda: session.state == "ready")
        await session.switch(other)
        await wait_until(lambda: engine.loads == 2)
        await wait_until(lambda: session.state in ("ready", "down"))
        serving.cancel()

    asyncio.run(switch())
    return engine


def another() -> FakeSettings:
    pair = msgspec.structs.replace(FakeSettings().pair, n_ctx=1234)
    return replace(FakeSettings(), pair=pair, title="Beta")


def test_a_pair_is_placed_once_the_former_one_has_left_its_memory() -> None:
    posted: list[Message] = []
    engine = switched_to(another(), posted, too_large=None)
    assert engine.loaded == [FakeSettings().pair, another().pair]
    assert engine.alive
    assert not any(isinstance(message, SwitchFailed) for message in posted)


def test_the_former_pair_comes_back_where_another_fits_nowhere() -> None:
    posted: list[Message] = []
    other = another()
    engine = switched_to(other, posted, too_large=other)
    assert engine.loaded == [FakeSettings().pair] * 2
    assert engine.alive
    assert [m.error for m in posted if isinstance(m, SwitchFailed)] == ["Beta does not fit."]
