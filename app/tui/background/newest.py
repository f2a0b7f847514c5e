"""Reading beside the screen, where only the newest wish counts.

One thread reads at a time. What is wished meanwhile waits, the newest wish alone; a result that
somebody no longer wants is dropped. So typing never piles work up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Generic, TypeVar

from app.tui.background.threads import in_thread

W = TypeVar("W")
R = TypeVar("R")
PAUSE_S = 0.02


class Newest(Generic[W, R]):
    """Answers the newest wish. `done` and `failed` are called on the screen's thread."""

    def __init__(
        self,
        work: Callable[[W], R],
        done: Callable[[W, R], None],
        failed: Callable[[Exception], None],
        start: Callable[[Coroutine[None, None, None]], object],
        pause_s: float = PAUSE_S,
    ) -> None:
        """work: what a thread does. start: runs a coroutine that ends with the screen.

        pause_s: how long a wish waits for a newer one.
        """
        self._work, self._done, self._failed, self._start = work, done, failed, start
        self._pause_s = pause_s
        self._waiting: list[W] = []
        self._is_running = self._is_working = self._is_wanted = False

    @property
    def is_busy(self) -> bool:
        """Whether a wish is not answered yet."""
        return bool(self._waiting) or (self._is_working and self._is_wanted)

    def wish(self, wish: W) -> None:
        """Wish for something else than before."""
        self._waiting = [wish]
        if not self._is_running:
            self._is_running = True
            self._start(self._run())

    def forget(self) -> None:
        """Wish for nothing; of what is being read neither result nor error is told."""
        self._waiting, self._is_wanted = [], False

    async def _run(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._pause_s)
                await self._answer()
        finally:
            self._is_running = False

    async def _answer(self) -> None:
        if not self._waiting:
            return
        wish = self._waiting.pop()
        self._is_working = self._is_wanted = True
        try:
            result = await in_thread(partial(self._work, wish))
        except Exception as error:
            self._is_working = False
            if self._is_wanted:
                self._failed(error)
            return
        self._is_working = False
        if self._is_wanted and not self._waiting:
            self._done(wish, result)
