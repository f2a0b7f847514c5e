"""The file is private, of this version and whole, or the person is told in one line."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import History, database, schema
from app.history.database import journal_mode
from app.history.words import indexed
from app.paths import Paths
from tests.app.history.chats import Clock, found, integrity, said, titles


def written(path: Path, clock: Clock, n_chats: int = 3) -> None:
    """Write some chats."""
    history = History.open(path, clock=clock)
    for number in range(n_chats):
        said(history, f"chat {number}", "words " * 300)
    assert history.close()


def test_the_file_is_where_other_data_is(tmp_path: Path) -> None:
    assert Paths(tmp_path).history_file == tmp_path / "data" / "history.db"


def test_nobody_else_can_read_the_chats(path: Path, clock: Clock) -> None:
    written(path, clock)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    path.chmod(0o644)
    path.parent.chmod(0o755)
    written(path, clock)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_where_the_disk_knows_no_modes_chats_are_kept_all_the_same(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chmod(self: Path, mode: int) -> None:
        raise PermissionError("Operation not permitted")

    written(path, clock)
    path.chmod(0o644)
    path.parent.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", chmod)
    written(path, clock)
    with closing(History.open(path)) as history:
        assert (history.notice, len(history.chats())) == ("", 6)


def test_a_write_ahead_log_is_kept_only_where_it_is_safe() -> None:
    assert journal_mode((3, 40, 1)) == journal_mode((3, 51, 2)) == "TRUNCATE"
    assert journal_mode((3, 51, 3)) == journal_mode((4, 0, 0)) == "WAL"


@pytest.mark.parametrize("mode", ["TRUNCATE", "WAL"])
def test_opening_writes_nothing(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Else a folder that cannot be written would keep the chats from being read."""
    monkeypatch.setattr(database, "journal_mode", lambda version: mode)
    written(path, clock)
    before = path.read_bytes()
    assert History.open(path, clock=clock).close()
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,), "incremental"


def test_every_commit_is_on_the_disk_and_keys_are_held(path: Path) -> None:
    opened = database.open_database(path)
    with closing(opened.writer()) as writer, closing(opened.reader()) as reader:
        pragma = "PRAGMA {}".format
        assert writer.execute(pragma("synchronous")).fetchone() == (2,)
        assert writer.execute(pragma("fullfsync")).fetchone() == (1,), "on a Mac"
        assert writer.execute(pragma("foreign_keys")).fetchone() == (1,)
        assert writer.execute(pragma("busy_timeout")).fetchone() == (database.BUSY_MS,)
        with pytest.raises(sqlite3.OperationalError):
            reader.execute("DELETE FROM chats")


def test_an_older_file_is_upgraded_with_all_it_holds(path: Path, clock: Clock) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.create_function("indexed", 1, indexed)
        schema.migrate(old, upto=1)
        old.execute("INSERT INTO chats (id, title, created_at, updated_at) VALUES (1, 'Old', 1, 1)")
        old.execute(
            "INSERT INTO messages (id, chat, role, created_at, content) "
            "VALUES (2, 1, 'user', 1, 'from lóng ago 日本語')"
        )
    history = History.open(path, clock=clock)
    assert (history.notice, titles(history)) == ("", ["Old"])
    assert found(history, "long ago") == found(history, "old") == found(history, "本") == ["Old"]
    assert history.close() and integrity(path) == "ok"
    with closing(sqlite3.connect(path)) as upgraded:
        assert schema.version_of(upgraded) == schema.VERSION


def test_an_upgrade_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (one)")
        raise sqlite3.OperationalError("no")

    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0], fails))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(connection, 2)
        assert schema.version_of(connection) == 0
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def changed(path: Path, pragma: str) -> bytes:
    """Write into the file's header, return the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA {pragma}")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("pragma", "line"),
    [("user_version = 99", "newer Slipstream.*update"), ("application_id = 5", "another program")],
)
def test_a_newer_or_foreign_file_is_not_touched(
    path: Path, clock: Clock, pragma: str, line: str
) -> None:
    written(path, clock)
    before = changed(path, pragma)
    history = History.open(path, clock=clock)
    assert re.search(line, history.notice) and "\n" not in history.notice
    said(history, "Chatting goes on")
    assert titles(history) == ["Chatting goes on"] == found(history, "chatt")
    assert history.close()
    assert path.read_bytes() == before


def test_a_file_that_another_process_is_just_beginning_is_no_other_programs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(statement: str) -> None:
        """Begin the file in between two looks at it, if it lets anybody."""
        if "sqlite_master" in statement:
            with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
                other.create_function("indexed", 1, indexed, deterministic=True)
                with suppress(sqlite3.OperationalError):
                    schema.migrate(other)

    def watched(uri: str) -> sqlite3.Connection:
        connection = connect(uri)
        connection.set_trace_callback(begin)
        return connection

    connect = database._connect
    monkeypatch.setattr(database, "_connect", watched)
    assert database.open_database(path).notice == ""


def damage(path: Path, kind: str) -> None:
    """Damage the file where it shows at once."""
    whole = path.read_bytes()
    damaged = {
        "garbage": b"\x00garbage" * 999,
        "short": whole[:50],
        "no header": bytes(100) + whole[100:],
        "no schema": whole[:100] + bytes(5000) + whole[5100:],
    }
    path.write_bytes(damaged[kind])


@pytest.mark.parametrize(
    ("kind", "n_left"), [("garbage", 0), ("short", 0), ("no header", 3), ("no schema", 3)]
)
def test_a_damaged_file_is_put_aside_and_a_new_one_begun(
    path: Path, clock: Clock, kind: str, n_left: int
) -> None:
    written(path, clock)
    damage(path, kind)
    spoilt = path.read_bytes()
    path.with_name("history.db-wal").write_bytes(b"what was being written")
    history = History.open(path, clock=clock)
    assert "was damaged" in history.notice and "\n" not in history.notice
    (aside,) = path.parent.glob("history.db.damaged-*[0-9]")
    assert aside.name in history.notice
    assert aside.read_bytes() == spoilt
    assert aside.with_name(aside.name + "-wal").read_bytes() == b"what was being written"
    clock.now += 1
    said(history, "A new one")
    assert titles(history) == ["A new one", *(f"chat {n}" for n in reversed(range(n_left)))]
    assert history.close() and integrity(path) == "ok"


def test_damage_that_shows_later_is_told_and_put_aside_at_the_next_start(
    path: Path, clock: Clock
) -> None:
    written(path, clock, 60)
    whole = bytearray(path.read_bytes())
    whole[4096 * 30 :] = bytes(len(whole) - 4096 * 30)
    path.write_bytes(whole)
    history = History.open(path, clock=clock)
    with pytest.raises(HistoryError, match=r"damaged; starting again mends it or puts"):
        for chat in history.chats():
            history.chat(chat.id)
        history.search("words")
    history.close()
    history = History.open(path, clock=clock)
    assert "was damaged: it is now history.db.damaged-" in history.notice
    assert history.notice.endswith("a new one has what could be read of it: 60 chats.")
    assert history.close() and integrity(path) == "ok"
    assert not path.with_name("history.db.suspect").exists()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE said_data SET block = x'ffffffffffff' WHERE id = 10",
        "UPDATE said_data SET block = randomblob(length(block)) WHERE id > 10",
        "UPDATE titled_data SET block = x'ffffffffffff' WHERE id = 10",
    ],
    ids=["records", "leaves", "titles"],
)
def test_a_damaged_search_index_is_made_anew_and_no_chat_is_lost(
    path: Path, clock: Clock, harm: str
) -> None:
    written(path, clock, 9)
    before = [f"chat {number}" for number in range(9)]
    with sqlite3.connect(path) as connection:
        connection.execute(harm)
    connection.close()
    history = History.open(path, clock=clock)
    with suppress(HistoryError):
        history.search("words")
    said(history, "Asked meanwhile")
    history.flush(0.5)
    history.close()
    again = History.open(path, clock=clock)
    assert again.notice == "" and set(titles(again)) >= set(before)
    said(again, "Saved once more")
    assert again.flush() and found(again, "once more") == ["Saved once more"]
    assert len(found(again, "words")) >= 9 and again.close() and integrity(path) == "ok"


def test_where_no_file_can_be_made_chats_live_in_memory(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").touch()
    history = History.open(tmp_path / "file" / "data" / "history.db", clock=clock)
    assert "cannot be saved" in history.notice and "\n" not in history.notice
    chat = said(history, "Chatting goes on")
    assert titles(history) == ["Chatting goes on"] == found(history, "goes on")
    history.delete(chat)
    history.purge(-1)
    assert titles(history) == []
    assert history.close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_opened_and_chats_live_in_memory(
    path: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = database._connect

    def of_memory(uri: str) -> sqlite3.Connection:
        assert "mode=memory" in uri, "it was opened, which may take for ever"
        return connect(uri)

    monkeypatch.setattr(database, "_connect", of_memory)
    path.parent.mkdir()
    make(path)
    opened = database.open_database(path)
    assert opened.notice == (
        f"{path} is no file, and chats are kept in one: move it elsewhere. Until then chats are "
        "not saved."
    )
    opened.close()


def test_a_file_that_cannot_be_written_is_still_read(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, clock, 1)

    def read_only(uri: str) -> sqlite3.Connection:
        connection = sqlite3.connect(uri.replace("=rw", "=ro"), uri=True, isolation_level=None)
        connection.create_function("indexed", 1, indexed)
        return connection

    monkeypatch.setattr(database, "_writing", read_only)
    history = History.open(path, clock=clock)
    assert history.notice == f"Chats cannot be saved to {path}: it cannot be written."
    assert [chat.title for chat in history.chats()] == ["chat 0"] == found(history, "words")
    said(history, "This one stays in memory")
    assert not history.flush()
    assert not history.close()
