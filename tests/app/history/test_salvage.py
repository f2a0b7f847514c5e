"""What a damaged page does not hide is in the new file, each message where it was."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.history import History, database, salvage, schema
from tests.app.history.chats import Clock, said
from tests.app.history.test_database import integrity
from tests.app.history.test_steps import DRAFTED

PAGE = 4096
CHATS, TURNS = 12, 8
LEAF = 0x0D

Message = tuple[int, int | None, str, str]


@pytest.fixture
def whole(path: Path, clock: Clock) -> Path:
    """A history of short and long answers, with their steps, titles, and a deleted chat."""
    history = History.open(path, clock=clock)
    for number in range(CHATS):
        chat, parent = history.new_chat(), None
        for turn in range(TURNS):
            asked = history.add(chat, parent, "user", f"question {turn} of {number}")
            text = f"answer {turn} of {number}" + " and more" * (turn * number * 4)
            parent = history.add(chat, asked, "assistant", text)
            history.keep_steps(parent, [DRAFTED] * (1 + turn))
        history.rename(chat, f"chat {number}")
    history.delete(chat)
    assert history.close()
    return path


def messages(path: Path) -> dict[int, Message]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, chat, parent, role, content FROM messages")
        return {id: (chat, parent, role, content) for id, chat, parent, role, content in rows}


def spoil(path: Path, *pages: int) -> None:
    """Fill pages with noise."""
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = random.Random(page).randbytes(PAGE)
    path.write_bytes(content)


def salvaged(path: Path, clock: Clock) -> str:
    """Start where the last start found something suspicious, end, and return the notice."""
    path.with_name("history.db.suspect").touch()
    history = History.open(path, clock=clock)
    assert history.close() and integrity(path) == "ok"
    return history.notice


def test_no_page_takes_more_with_it_than_what_is_in_it(whole: Path, clock: Clock) -> None:
    before, content = messages(whole), whole.read_bytes()
    lost = []
    for page in range(1, len(content) // PAGE):
        whole.write_bytes(content)
        spoil(whole, page)
        notice = salvaged(whole, clock)
        after = messages(whole)
        lost.append(len(before) - len(after))
        for id, (chat, parent, role, text) in after.items():
            assert (chat, role, text) == (before[id][0], *before[id][2:])
            assert parent is None or after[parent][0] == chat
        assert "was damaged" in notice or not lost[-1]
    assert max(lost) <= 64, "as many as fill a page"
    assert lost.count(0) > len(lost) / 3, "pages of indexes, steps and titles"


def first_page(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(query, (table,)).fetchone()[0]) - 1


def test_the_first_page_of_messages_takes_none_with_it(whole: Path, clock: Clock) -> None:
    before, page = messages(whole), first_page(whole, "messages")
    assert page not in leaves(whole.read_bytes()), "it only says where the others are"
    spoil(whole, page)
    assert f": {CHATS - 1} chats." in salvaged(whole, clock)
    assert messages(whole) == before


def test_what_was_erased_is_not_found_again(whole: Path, clock: Clock) -> None:
    history = History.open(whole, clock=clock)
    erased = [info.id for info in history.chats(CHATS)][::2]
    for chat in erased:
        history.delete(chat)
    history.erase(erased)
    assert history.close()
    before = messages(whole)
    assert before and not {chat for chat, *_ in before.values()} & set(erased)
    spoil(whole, first_page(whole, "messages"))
    salvaged(whole, clock)
    assert messages(whole) == before


@pytest.mark.parametrize("harm", ["noise", "zeroes", "no header"])
def test_a_damaged_schema_takes_no_chat_with_it(whole: Path, clock: Clock, harm: str) -> None:
    before, content = messages(whole), bytearray(whole.read_bytes())
    match harm:
        case "noise":
            content[:PAGE] = random.Random(0).randbytes(PAGE)
        case "zeroes":
            content[:PAGE] = bytes(PAGE)
        case _:
            content[:100] = bytes(100)
    whole.write_bytes(content)
    assert f": {CHATS - 1} chats." in salvaged(whole, clock)
    assert messages(whole) == before


@pytest.mark.parametrize("version", range(schema.INDEXED, schema.VERSION + 1))
def test_tables_begin_in_the_same_pages_whichever_version_made_the_file(
    path: Path, clock: Clock, version: int
) -> None:
    path.parent.mkdir()
    path.touch()
    with closing(database._writing(database._uri(path, "rw"))) as connection:
        schema.migrate(connection, version)
        for chat in range(1, 200):
            connection.execute(
                "INSERT INTO chats (id, title, created_at, updated_at) VALUES (?, 'old', 1, 2)",
                (chat,),
            )
            connection.execute(
                "INSERT INTO messages (id, chat, role, created_at, content) "
                "VALUES (?, ?, 'user', 1, ?)",
                (chat, chat, "words " * 20 * chat),
            )
        connection.execute("DELETE FROM chats WHERE id < 100")
        connection.execute("PRAGMA incremental_vacuum").fetchall()
    with closing(History.open(path, clock=clock)) as history:
        said(history, "new")
    before = messages(path)
    spoil(path, 0)
    assert ": 101 chats." in salvaged(path, clock)
    assert messages(path) == before


def test_a_huge_file_is_not_read_into_memory(
    whole: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvage, "MOST_IN_MEMORY", whole.stat().st_size - 1)
    spoil(whole, 0)
    assert salvaged(whole, clock).endswith("a new one has begun.")


def test_a_file_that_is_none_of_ours_is_put_aside_whole(path: Path, clock: Clock) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        for name in ("notes", "more", "links"):
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, a, b, c, d, e)")
            rows = [(n, "text", 2.5, n, "user") for n in range(900)]
            connection.executemany(f"INSERT INTO {name} (a, b, c, d, e) VALUES (?,?,?,?,?)", rows)
        connection.commit()
    spoil(path, 0)
    assert salvaged(path, clock).endswith("a new one has begun.")
    assert not messages(path)


def leaves(content: bytes) -> list[int]:
    """Pages of messages."""
    pages = range(1, len(content) // PAGE)
    parts = {page: content[page * PAGE : (page + 1) * PAGE] for page in pages}
    return [page for page, part in parts.items() if part[0] == LEAF and b"question" in part]


def test_who_dies_meanwhile_leaves_the_damaged_file_in_its_place(
    whole: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(path: Path) -> Path:
        raise KeyboardInterrupt

    spoil(whole, leaves(whole.read_bytes())[1])
    spoilt = whole.read_bytes()
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(database, "_put_aside", killed)
        salvaged(whole, clock)
    assert whole.read_bytes()[PAGE:] == spoilt[PAGE:]
    history = History.open(whole, clock=clock)
    assert history.notice.endswith(f"could be read of it: {CHATS - 1} chats.") and history.close()
    assert not list(whole.parent.glob("*salvaged*"))


def test_the_new_file_of_a_faster_process_stays(
    whole: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faster(damaged: Path, into: sqlite3.Connection) -> int:
        damaged.rename(damaged.with_suffix(".aside"))
        history = History.open(damaged, clock=clock)
        said(history, "Asked in the other window")
        assert history.close()
        return 1

    spoil(whole, leaves(whole.read_bytes())[1])
    monkeypatch.setattr(database, "salvage", faster)
    assert salvaged(whole, clock) == ""
    assert "Asked in the other window" in {text for *_, text in messages(whole).values()}


def test_what_is_between_two_damaged_pages_is_found(whole: Path, clock: Clock) -> None:
    before, content = messages(whole), whole.read_bytes()
    found = leaves(content)
    assert len(found) > 5
    spoil(whole, found[1], found[-2])
    assert salvaged(whole, clock).endswith(f"could be read of it: {CHATS - 1} chats.")
    assert len(before) > len(messages(whole)) > len(before) / 2


def test_a_page_of_steps_does_not_keep_an_answer_from_being_written(
    whole: Path, clock: Clock
) -> None:
    content = whole.read_bytes()
    before = messages(whole)
    n_stopped = 0
    for page in range(1, len(content) // PAGE):
        whole.write_bytes(content)
        spoil(whole, page)
        with closing(sqlite3.connect(whole)) as connection:
            if not is_read(connection, "chats") or is_read(connection, "steps"):
                continue
            n_stopped += 1
        history = History.open(whole, clock=clock)
        said(history, "Asked since", "Answered")
        assert history.flush()
        answer = max(messages(whole))
        history.keep_steps(answer, [DRAFTED])
        assert history.close()
        salvaged(whole, clock)
        found = {text for _, _, _, text in messages(whole).values()}
        assert {"Asked since", "Answered"} <= found
        assert len(messages(whole)) == len(before) + 2
    assert n_stopped, "pages of steps"


def is_read(connection: sqlite3.Connection, table: str) -> bool:
    """Whether all of this table can be read."""
    try:
        connection.execute(f"SELECT * FROM {table}").fetchall()
    except sqlite3.DatabaseError:
        return False
    return True
