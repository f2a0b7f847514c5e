"""Work in the background of which only the latest counts."""

from __future__ import annotations

from textual.app import App
from textual.pilot import Pilot

from app.tui.background.overtaking import overtake
from tests.app.tui.background.unawaited import told_after


def test_the_latest_alone_runs_and_what_never_began_is_no_coroutine_left_over() -> None:
    done = []

    async def note(word: str) -> None:
        done.append(word)

    async def scenario(app: App[None], pilot: Pilot[None]) -> None:
        for word in ("first", "second", "third"):
            overtake(app, note, word, group="words")
        overtake(app, note, "of another group", group="others")
        while len(done) < 2:
            await pilot.pause()

    assert told_after(scenario) == []
    assert done == ["third", "of another group"]
