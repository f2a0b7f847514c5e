"""Of all wishes the newest is answered, one at a time, and no outdated result is shown."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine

import pytest

from app.tui.background.newest import Newest
from tests.patience import PATIENCE_S


class Reader:
    """Reads when it is let; remembers who wished what and what was shown."""

    def __init__(self) -> None:
        self.read: list[int] = []
        self.shown: list[int] = []
        self.failed: list[str] = []
        self.together = self.most_together = 0
        self.begun, self.gate = threading.Event(), threading.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.newest: Newest[int, int] = Newest(self._work, self._done, self._fail, self._start, 0.0)

    def _work(self, wish: int) -> int:
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        self.read.append(wish)
        self.begun.set()
        assert self.gate.wait(PATIENCE_S)
        self.together -= 1
        if wish < 0:
            raise ValueError(str(wish))
        return 10 * wish

    def _done(self, wish: int, result: int) -> None:
        assert result == 10 * wish
        assert not self.newest.is_busy
        self.shown.append(wish)
        if wish == 5:
            self.newest.wish(6)

    def _fail(self, error: Exception) -> None:
        self.failed.append(str(error))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    async def begin(self, wish: int) -> None:
        """Wish, and wait until a thread reads it."""
        self.begun.clear()
        self.newest.wish(wish)
        await asyncio.to_thread(self.begun.wait, 20)

    async def end(self) -> None:
        """Let everything be read."""
        self.gate.set()
        await asyncio.gather(*self.tasks)
        assert not self.newest.is_busy


def test_what_waits_is_replaced_and_what_is_outdated_is_not_shown() -> None:
    async def run() -> None:
        await reader.begin(1)
        for wish in (2, 3, 4):
            reader.newest.wish(wish)
        await reader.end()

    reader = Reader()
    asyncio.run(run())
    assert reader.read == [1, 4]
    assert reader.shown == [4]
    assert reader.most_together == 1


def test_a_wish_that_a_result_begets_is_answered_alone() -> None:
    async def run() -> None:
        await reader.begin(5)
        await reader.end()
        await reader.begin(7)
        await reader.end()

    reader = Reader()
    asyncio.run(run())
    assert reader.shown == [5, 6, 7]
    assert reader.most_together == 1


def test_a_failure_is_told_and_the_next_wish_answered() -> None:
    async def run() -> None:
        await reader.begin(-1)
        await reader.end()
        await reader.begin(8)
        await reader.end()

    reader = Reader()
    asyncio.run(run())
    assert reader.failed == ["-1"]
    assert reader.shown == [8]


def test_nothing_is_read_for_who_forgot_the_wish() -> None:
    async def run() -> None:
        reader.newest.wish(1)
        reader.newest.forget()
        await reader.end()

    reader = Reader()
    asyncio.run(run())
    assert not reader.read


@pytest.mark.parametrize("wish", [1, -1])
def test_neither_result_nor_error_is_told_to_who_forgot_while_it_was_read(wish: int) -> None:
    async def run() -> None:
        await reader.begin(wish)
        assert reader.newest.is_busy
        reader.newest.forget()
        assert not reader.newest.is_busy
        await reader.end()
        assert reader.shown == [] == reader.failed
        await reader.begin(8)
        await reader.end()

    reader = Reader()
    asyncio.run(run())
    assert reader.read == [wish, 8]
    assert reader.shown == [8]
    assert reader.failed == []
