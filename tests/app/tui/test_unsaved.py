"""A chat that cannot be written says so as long as that is so, and once more at the end."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.history import History
from app.last import read_last
from app.tui.app import SlipstreamApp
from app.tui.chat_parts import ChatParts
from tests.app.tui.branching import NUMBERS
from tests.app.tui.chats.test_resuming import Watched
from tests.app.tui.driving import NARROW, app_of, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings


@pytest.mark.parametrize("is_freed", [True, False])
def test_a_locked_file_is_told_of_until_it_is_free_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_freed: bool
) -> None:
    monkeypatch.setattr("app.history.database.BUSY_MS", 50)
    monkeypatch.setattr("app.history.writer.RETRY_S", 0.1)
    path = tmp_path / "history.db"
    apps: list[SlipstreamApp] = []

    def report(line: str) -> None:
        if apps and apps[0].is_running:
            apps[0].call_from_thread(apps[0].tell_of_history, line)

    async def run(other: sqlite3.Connection) -> None:
        last = tmp_path / "last.json"
        history, engine = History.open(path, report), FakeEngine(*NUMBERS)
        resuming = Watched(last, read_last(last))
        app = app_of(ChatParts(engine, FakeSettings(), history=history, resuming=resuming))
        apps.append(app)
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, engine)
            await chat.ready()
            assert history.flush() and "not saved" not in chat.lines[0]
            other.execute("BEGIN EXCLUSIVE")
            await chat.ask("important")
            await chat.until(lambda: "not saved" in chat.lines[0])
            if is_freed:
                other.execute("ROLLBACK")
                await chat.until(lambda: "not saved" not in chat.lines[0])
            await pilot.press("ctrl+q")
            assert (app.return_code is None) is not is_freed
            assert bool(chat.toasts("Ctrl+Q again quits, and loses it")) is not is_freed
            if not is_freed:
                await pilot.press("ctrl+q")
            assert app.return_code == 0
        assert app.is_all_saved == is_freed

    History.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        asyncio.run(run(other))


class Interrupted(FakeEngine):
    """Ctrl-C comes while it ends."""

    is_left = False

    async def close(self) -> None:
        await super().close()
        if self.is_left:
            raise asyncio.CancelledError


@pytest.mark.parametrize("is_freed", [True, False])
def test_ctrl_c_while_the_app_ends_hides_nothing_that_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_freed: bool
) -> None:
    monkeypatch.setattr("app.history.database.BUSY_MS", 50)
    path = tmp_path / "history.db"

    async def run(other: sqlite3.Connection) -> SlipstreamApp:
        history, engine = History.open(path), Interrupted(*NUMBERS)
        app = app_of(ChatParts(engine, FakeSettings(), history=history))
        with suppress(asyncio.CancelledError):  # as a run of Textual does
            async with app.run_test(size=NARROW) as pilot:
                chat = await opened(app, pilot, engine)
                await chat.ready()
                assert history.flush()
                other.execute("BEGIN EXCLUSIVE")
                await chat.ask("important")
                await chat.answered()
                if is_freed:
                    other.execute("ROLLBACK")
                engine.is_left = True
        return app

    History.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        app = asyncio.run(run(other))
    assert app.is_all_saved == is_freed


def test_what_lives_in_memory_alone_is_marked_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    history = History.open(tmp_path / "file" / "history.db")
    assert not history.lasts

    async def run() -> None:
        engine, last = FakeEngine(*NUMBERS), tmp_path / "last.json"
        resuming = Watched(last, read_last(last))
        app = app_of(ChatParts(engine, FakeSettings(), history=history, resuming=resuming))
        async with app.run_test(size=NARROW) as pilot:
            chat = await opened(app, pilot, engine)
            await chat.until(lambda: "not saved" in chat.lines[0])
            assert chat.toasts("cannot be saved")

    asyncio.run(run())
