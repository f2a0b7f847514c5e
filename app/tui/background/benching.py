"""The quick benchmark behind the screen for it: an engine of its own, in a thread of its own.

It needs the machine alone: whoever starts one has ended every other engine before. Imports late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from app.bench.benchmark import Benchmark
    from app.bench.result import Result
    from app.settings.config import ChatSettings

Show: TypeAlias = Callable[[str, float], None]
"""Is told what is being done, and how much of the whole is: 0 to 1; from any thread."""
Outcome: TypeAlias = "tuple[Result, Result | None]"
"""The result, and the former one that it compares with."""


class Stopped(Exception):
    """A benchmark was stopped because somebody wished so."""


class Bench(Protocol):
    """One benchmark of one pair."""

    @property
    def left(self) -> str:
        """What is left behind if it ends now, "" where nothing was measured."""

    def run(self, show: Show) -> Outcome:
        """Measure and keep the result. Raises Stopped, AppError, EngineError, OSError."""

    def stop(self) -> None:
        """Make `run` end soon; from any thread."""


class QuickBench:
    """The benchmark of `slipstream bench --quick`, kept where that keeps it."""

    def __init__(self, settings: ChatSettings) -> None:
        self._settings = settings
        self._is_stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Outcome] | None = None
        self._benchmark: Benchmark | None = None

    @property
    def left(self) -> str:
        """What the benchmark says of that."""
        return self._benchmark.left if self._benchmark is not None else ""

    def run(self, show: Show) -> Outcome:
        """Measure; the event loop is this thread's own."""
        try:
            return asyncio.run(self._measure(show))
        except asyncio.CancelledError:
            raise Stopped from None

    def stop(self) -> None:
        """Cancel the measuring; the engine is ended, what was measured is kept where it can be."""
        self._is_stopped = True
        if self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # it has just ended by itself
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def _measure(self, show: Show) -> Outcome:
        from app.bench.benchmark import Benchmark
        from app.bench.quick import quick
        from app.paths import Paths
        from engine import EngineClient

        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._is_stopped:
            raise Stopped
        show("looking at this machine", 0.0)
        wish, settings = quick(self._settings)
        paths = Paths().ensure()
        engine = EngineClient(paths.engine_log)
        try:
            self._benchmark = Benchmark(settings, wish, paths.bench_dir, show)
            return await self._benchmark.run(engine)
        finally:
            await engine.close()
