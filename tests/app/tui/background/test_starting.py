"""Work in the background that never begins."""

from __future__ import annotations

from textual.app import App
from textual.pilot import Pilot

from app.tui.background.starting import start
from tests.app.tui.background.unawaited import told_after


def test_what_ends_before_it_began_is_no_coroutine_left_over() -> None:
    done = []

    async def note(word: str) -> None:
        done.append(word)

    async def scenario(app: App[None], pilot: Pilot[None]) -> None:
        start(app, note, "never")
        app.workers.cancel_all()
        start(app, note, "once")
        while not done:
            await pilot.pause()

    assert told_after(scenario) == []
    assert done == ["once"]
