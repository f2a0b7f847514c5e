"""Work in the background of which only the latest counts."""

from __future__ import annotations

import asyncio
import gc
import warnings

from textual.app import App

from app.tui.background.overtaking import overtake


def test_the_latest_alone_runs_and_what_never_began_is_no_coroutine_left_over() -> None:
    done = []

    async def note(word: str) -> None:
        done.append(word)

    async def scenario() -> None:
        app: App[None] = App()
        async with app.run_test() as pilot:
            for word in ("first", "second", "third"):
                overtake(app, note, word, group="words")
            overtake(app, note, "of another group", group="others")
            while len(done) < 2:
                await pilot.pause()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(scenario())
        gc.collect()
    assert done == ["third", "of another group"]
    assert [str(each.message) for each in told] == []
