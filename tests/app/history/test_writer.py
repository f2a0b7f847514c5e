"""Writing never waits, never raises and never forgets what it can still write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.history import History, Outcome, schema
from app.history.database import Database, open_database
from app.history.store import ChatRow, Store
from app.history.words import indexed
from app.history.writer import Writer
from engine import Span
from tests.app.history.chats import Clock, Reports, integrity, said, titles


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A disk that is full while the list holds something."""
    is_full: list[bool] = []
    real = Database.writer

    def writer(self: Database) -> sqlite3.Connection:
        connection = real(self)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages if is_full else 2**30}")
        return connection

    monkeypatch.setattr(Database, "writer", writer)
    return is_full


def test_on_a_full_disk_chats_are_kept_and_written_when_there_is_room(
    path: Path, clock: Clock, reports: Reports, full: list[bool]
) -> None:
    full.append(True)
    history = History.open(path, reports, clock)
    assert history.notice == ""
    chat = said(history, "kept in memory", "word " * 20_000)
    message = history.add(chat, None, "assistant")
    other = history.add(chat, message, "assistant")
    history.write(message, [Span("first", "plain")])
    history.write(other, [Span("only", "plain")])
    assert not history.flush() and not history.flush()
    line = f"Chats are not being saved to {path}: the disk is full. Trying again until it works."
    assert reports.lines == [line], "once, not at every try"
    history.write(message, [Span(" second", "plain")])
    full.clear()
    assert history.flush()
    assert reports.lines == [line, ""]
    assert titles(history) == ["kept in memory"]
    assert [it.content for it in history.chat(chat).path()] == ["first second", "only"]
    assert history.close() and integrity(path) == "ok"


def test_closing_on_a_full_disk_ends_and_says_that_something_is_lost(
    path: Path, clock: Clock, full: list[bool]
) -> None:
    full.append(True)
    history = History.open(path, clock=clock)
    said(history, "lost", "word " * 20_000)
    assert not history.close()
    assert integrity(path) == "ok"


def test_nothing_waits_for_another_program_that_locks_the_file(
    history: History, path: Path
) -> None:
    assert history.flush()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        said(history, "while it is locked")
        assert not history.flush(timeout_s=0.05)
        other.execute("ROLLBACK")
    assert titles(history) == ["while it is locked"]


@pytest.mark.parametrize("lock", ["EXCLUSIVE", "IMMEDIATE"])
@pytest.mark.parametrize("version", [0, 3, schema.VERSION])
def test_what_is_said_while_another_program_locks_the_file_at_the_start_is_written_after_it(
    path: Path,
    clock: Clock,
    reports: Reports,
    monkeypatch: pytest.MonkeyPatch,
    lock: str,
    version: int,
) -> None:
    monkeypatch.setattr("app.history.database.BUSY_MS", 10)
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.create_function("indexed", 1, indexed)
        schema.migrate(other, version)
        other.execute(f"BEGIN {lock}")
        history = History.open(path, reports, clock)
        said(history, "while it is locked")
        assert not history.flush() and not history.lasts
        assert history.notice.endswith(
            "another program keeps it locked. Trying again until it works."
        )
        other.execute("ROLLBACK")
    assert titles(history) == ["while it is locked"]
    assert (history.notice, history.lasts, history.close()) == ("", True, True)
    assert reports.lines == [""], "all is well again; the rest was said by the notice"
    with closing(History.open(path, clock=clock)) as again:
        assert titles(again) == ["while it is locked"] and integrity(path) == "ok"


def test_a_file_of_another_program_that_is_locked_at_the_start_is_not_touched(
    path: Path, clock: Clock, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.history.database.BUSY_MS", 10)
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs (one)")
        before = path.read_bytes()
        other.execute("BEGIN EXCLUSIVE")
        history = History.open(path, reports, clock)
        other.execute("ROLLBACK")
    said(history, "kept in memory")
    assert not history.flush() and not history.close()
    assert "another program's database" in reports.lines[-1]
    assert path.read_bytes() == before


def test_pieces_are_gathered_into_few_updates(
    path: Path, clock: Clock, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = []
    real = Store.write
    monkeypatch.setattr(Store, "write", lambda self, row: (updates.append(row), real(self, row)))
    database = open_database(path)
    writer = Writer(database, reports, clock, interval_s=3600)
    for _ in range(2000):
        writer.write(5, [Span("x", "plain")])
    assert writer.flush()
    assert len(updates) <= 2, "the first at once, the rest when asked for"
    assert updates[-1].content == "x" * 2000
    assert writer.close()


def test_whoever_reports_may_fail(path: Path, clock: Clock, full: list[bool]) -> None:
    def broken(line: str) -> None:
        raise RuntimeError(line)

    full.append(True)
    history = History.open(path, broken, clock)
    said(history, "still here", "word " * 20_000)
    assert not history.flush()
    full.clear()
    assert titles(history) == ["still here"]
    assert history.close()


def test_what_can_never_be_written_does_not_hold_up_the_rest(
    path: Path, clock: Clock, reports: Reports
) -> None:
    history = History.open(path, reports, clock)
    history.add(12345, None, "user", "in no chat")
    history.add(said(history, "one"), None, "robot", "a wrong role")
    history.finish(999, "no such message", Outcome("stop"))
    assert not history.flush(), "two of them are not on the disk"
    assert titles(history) == ["one"], "what was told is not told again by the next flush"
    assert reports.lines and all("could not be saved" in line or not line for line in reports.lines)
    assert not history.close()


def test_a_change_that_fails_halfway_leaves_nothing(
    path: Path, clock: Clock, reports: Reports
) -> None:
    def halfway(store: Store) -> None:
        store.new_chat(ChatRow(1, "half", False, 1.0, 1.0))
        store.new_chat(ChatRow(1, "the same again", False, 1.0, 1.0))

    writer = Writer(open_database(path), reports, clock)
    writer.post(halfway)
    assert not writer.flush() and not writer.close()
    history = History.open(path)
    assert titles(history) == []
    assert history.close() and len(reports.lines) == 1
