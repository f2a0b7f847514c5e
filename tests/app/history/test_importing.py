"""A large import: nobody waits for it, nobody sees half of it, and it can be called off."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import History, importing
from tests.app.history.chats import found, said, titles

N = 6


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two chats are a part."""
    monkeypatch.setattr(importing, "PART_CHARS", 50)


def many(n: int = N) -> bytes:
    """Return a file of chats of 20 characters and a little more."""
    chats = [
        {"messages": [{"role": "user", "content": f"{i} wonders why {i:8}"}]} for i in range(n)
    ]
    return json.dumps(chats).encode()


def test_what_is_asked_meanwhile_is_written_meanwhile(history: History) -> None:
    seen = []

    def progress(n_done: int, n_chats: int) -> bool:
        if n_done < n_chats:
            said(history, f"asked at {n_done}")
        assert history.flush()
        seen.append((n_done, n_chats, titles(history)))
        return True

    assert len(history.import_json(many(), progress).chats) == N
    assert [(done, n) for done, n, _ in seen] == [(2, N), (4, N), (6, N)]
    assert seen[1][2] == ["asked at 4", "asked at 2"], "a part of an import is seen"
    assert len(titles(history)) == N + 2 and not history.deleted()


@pytest.mark.parametrize("at", [2, 4, N])
def test_what_is_called_off_leaves_nothing(history: History, path: Path, at: int) -> None:
    with pytest.raises(HistoryError, match=r"^Nothing was imported\.$"):
        history.import_json(many(), lambda n_done, n: n_done < at)
    assert history.flush()
    assert not titles(history) and not history.deleted() and not found(history, "wonders")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (0,)
    connection.close()


def test_what_a_crash_cuts_short_is_among_the_deleted(history: History) -> None:
    class Crash(BaseException):
        pass

    def progress(n_done: int, n_chats: int) -> bool:
        raise Crash

    with pytest.raises(Crash):
        history.import_json(many(), progress)
    assert not titles(history) and len(history.deleted()) == 2


def test_where_nothing_can_be_written_nothing_is_imported(
    history: History, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.history.database.BUSY_MS", 10)
    assert history.flush()
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HistoryError, match=r"^Nothing was imported: chats cannot be saved"):
            history.import_json(many())
        connection.execute("ROLLBACK")
    connection.close()
    assert history.flush() and not titles(history) and not history.deleted()


@pytest.mark.parametrize(
    "refused",
    [
        "INSERT ON messages WHEN new.content LIKE '0%'",
        "INSERT ON messages WHEN new.content LIKE '5%'",
        "UPDATE OF deleted_at ON chats WHEN new.deleted_at IS NULL",
    ],
    ids=["first part", "last part", "at the end"],
)
def test_what_the_file_refuses_is_not_told_as_imported(
    history: History, path: Path, refused: str
) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(
            f"CREATE TRIGGER refuse BEFORE {refused} BEGIN SELECT raise(abort, 'not this'); END"
        )
    connection.close()
    line = r"^Nothing was imported\. A change to the chats could not be saved: not this\.$"
    with pytest.raises(HistoryError, match=line):
        history.import_json(many())
    assert history.flush() and not titles(history) and not history.deleted()
