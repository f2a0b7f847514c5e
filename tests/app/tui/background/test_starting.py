"""Work in the background that never begins."""

from __future__ import annotations

import asyncio
import gc
import warnings

from textual.app import App

from app.tui.background.starting import start


def test_what_ends_before_it_began_is_no_coroutine_left_over() -> None:
    done = []

    async def note(word: str) -> None:
        done.append(word)

    async def scenario() -> None:
        app: App[None] = App()
        async with app.run_test() as pilot:
            start(app, note, "never")
            app.workers.cancel_all()
            start(app, note, "once")
            while not done:
                await pilot.pause()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(scenario())
        gc.collect()
    assert done == ["once"]
    assert [str(each.message) for each in told] == []
