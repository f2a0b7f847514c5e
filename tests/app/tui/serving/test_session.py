"""A session keeps nobody waiting who leaves."""

from __future__ import annotations

import asyncio
import threading

from textual.message import Message

from app.tui.serving.orders import SessionSettings
from app.tui.serving.session import Session
from engine import PairSettings
from tests.app.tui.fakes import FakeEngine, FakeSettings

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
