"""Says whether a scenario leaves a coroutine that nobody awaited."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.pilot import Pilot


def told_after(scenario: Callable[[App[None], Pilot[None]], Awaitable[None]]) -> list[str]:
    """Play a scenario in an empty app; return what Python warns of then."""

    async def run() -> None:
        app: App[None] = App()
        async with app.run_test() as pilot:
            await scenario(app, pilot)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(run())
        gc.collect()
    return [str(each.message) for each in told]
