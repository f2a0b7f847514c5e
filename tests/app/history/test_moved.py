"""A file that goes while it is open is noticed at the next write; the chats go on in a new one."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.history import History, database
from engine import Span
from tests.app.history.chats import (
    STOPPED,
    Clock,
    Reports,
    answered,
    found,
    integrity,
    said,
    titles,
)

LOSSES: dict[str, Callable[[Path], object]] = {
    "file deleted": Path.unlink,
    "file moved": lambda path: path.rename(path.with_name("old.db")),
    "folder deleted": lambda path: shutil.rmtree(path.parent),
    "folder moved": lambda path: path.parent.rename(path.parent.with_name("old")),
}
GONE = "{} was deleted or moved away while it was open: a new one has begun{}."


@pytest.fixture(params=["TRUNCATE", "WAL"])
def journal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either journal."""
    monkeypatch.setattr(database, "journal_mode", lambda version: request.param)


def journals(path: Path) -> dict[str, bytes]:
    """Return what lies beside the file."""
    return {each.name: each.read_bytes() for each in path.parent.iterdir() if each != path}


def kept(path: Path) -> dict[str, list[str]]:
    """Return what a next start finds: what is shown of each chat, by its title."""
    history = History.open(path)
    assert history.notice == ""
    chats = map(history.chat, (info.id for info in history.chats()))
    texts = {chat.info.title: [it.content for it in chat.path()] for chat in chats}
    assert history.close() and integrity(path) == "ok"
    return texts


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_said_after_the_file_went_is_kept_with_all_of_its_chat(
    path: Path, clock: Clock, reports: Reports, loss: str
) -> None:
    before = History.open(path, clock=clock)
    said(before, "Of another day")
    assert before.close()
    history = History.open(path, reports, clock)
    chat = said(history, "Asked before", "Yes, before.")
    assert history.flush()
    LOSSES[loss](path)
    assert len(history.chats()) == 2, "still read"
    parent = history.chat(chat).leaf
    question = history.add(chat, parent, "user", "Asked afterwards")
    answered(history, chat, question, "Yes, afterwards.")
    assert titles(history) == ["Asked before"] == found(history, "afterwards")
    assert reports.lines == [GONE.format(path, ", with 1 chat of this window"), ""]
    texts = ["Asked before", "Yes, before.", "Asked afterwards", "Yes, afterwards."]
    assert [it.content for it in history.chat(chat).path()] == texts
    assert history.close()
    assert kept(path) == {"Asked before": texts}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("journal")
def test_an_answer_that_streams_meanwhile_is_kept_whole(
    path: Path, clock: Clock, reports: Reports
) -> None:
    history = History.open(path, reports, clock)
    chat = history.new_chat()
    question = history.add(chat, None, "user", "Asked before")
    answer = history.add(chat, question, "assistant")
    history.write(answer, [Span("One, ", "plain")])
    assert history.flush()
    path.unlink()
    history.write(answer, [Span("two.", "lookup")])
    assert history.flush()
    assert history.chat(chat).messages[1].content == "One, two."
    history.finish(answer, "One, two.", STOPPED)
    assert history.close()
    assert kept(path) == {"Asked before": ["Asked before", "One, two."]}


def test_only_what_is_written_brings_a_file_back(history: History, path: Path) -> None:
    said(history, "Deleted on purpose")
    assert history.flush()
    path.unlink()
    assert history.flush() and history.chats()
    assert history.close() and not path.exists()


def test_a_file_that_is_put_in_its_place_gets_what_it_lacks(
    path: Path, clock: Clock, reports: Reports
) -> None:
    history = History.open(path, reports, clock)
    chat = said(history, "In both")
    assert history.flush()
    copy = path.with_name("backup.db")
    shutil.copy(path, copy)
    answered(history, chat, history.add(chat, None, "user", "Since the backup"), "Yes.")
    assert history.flush()
    copy.rename(path)
    said(history, "Afterwards")
    assert sorted(titles(history)) == ["Afterwards", "In both"]
    line = f"{path} was replaced while it was open: chats are now kept in the one that is there"
    assert reports.lines == [f"{line}, with 1 chat of this window.", ""]
    texts = [it.content for it in history.chat(chat).messages]
    assert texts == ["In both", "Yes.", "Since the backup", "Yes."]
    assert history.close() and integrity(path) == "ok"


@pytest.mark.usefixtures("journal")
def test_two_windows_go_on_in_the_same_new_file(path: Path, clock: Clock) -> None:
    mine, theirs = History.open(path, clock=clock), History.open(path, clock=clock)
    chats = [said(mine, "Mine"), said(theirs, "Theirs")]
    assert mine.flush() and theirs.flush()
    path.unlink()
    for history, chat in zip((mine, theirs), chats, strict=True):
        said(history, "More", chat=chat)
        assert history.flush()
    assert set(titles(mine)) == set(titles(theirs)) == {"Mine", "Theirs"}
    assert mine.close() and theirs.close() and integrity(path) == "ok"


@pytest.mark.usefixtures("journal")
def test_who_still_reads_the_old_file_does_not_touch_what_is_written_to_the_new_one(
    path: Path, clock: Clock
) -> None:
    mine, theirs = History.open(path, clock=clock), History.open(path, clock=clock)
    chats = [said(mine, "Mine"), said(theirs, "Theirs")]
    assert mine.flush() and theirs.flush()
    path.unlink()
    said(mine, "More", chat=chats[0])
    assert mine.flush()
    with closing(sqlite3.connect(path, isolation_level=None)) as halfway:
        halfway.execute("PRAGMA cache_size = 2")  # so that it must write before it commits
        halfway.execute("BEGIN IMMEDIATE")
        halfway.execute("UPDATE messages SET pieces = zeroblob(100000)")
        before = journals(path)
        assert {info.title for info in theirs.chats()} == {"Mine", "Theirs"}, "as they were"
        assert journals(path) == before
        halfway.execute("ROLLBACK")
    said(theirs, "More", chat=chats[1])
    assert set(titles(theirs)) == set(titles(mine)) == {"Mine", "Theirs"}
    assert mine.close() and theirs.close() and integrity(path) == "ok"


def test_where_no_new_file_can_be_made_what_is_said_waits_for_one(
    path: Path, clock: Clock, reports: Reports
) -> None:
    history = History.open(path, reports, clock)
    chat = said(history, "Before")
    assert history.flush()
    shutil.rmtree(path.parent)
    path.parent.touch()
    said(history, "Meanwhile", chat=chat)
    assert not history.flush() and history.is_unsaved
    assert len(reports.lines) == 1 and reports.lines[0].startswith("Chats are not being saved to ")
    assert [info.title for info in history.chats()] == ["Before"], "still read"
    path.parent.unlink()
    assert history.flush()
    assert [it.content for it in history.chat(chat).messages][::2] == ["Before", "Meanwhile"]
    assert reports.lines[1:] == [GONE.format(path, ", with 1 chat of this window"), ""]
    assert history.close()


def test_a_newer_file_in_its_place_is_not_touched(
    path: Path, clock: Clock, reports: Reports
) -> None:
    history = History.open(path, reports, clock)
    said(history, "Before")
    assert history.flush()
    newer = path.with_name("newer.db")
    shutil.copy(path, newer)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    content = newer.read_bytes()
    newer.rename(path)
    said(history, "Meanwhile")
    assert not history.flush() and not history.close()
    (line,) = reports.lines
    assert line.startswith(f"Chats are not being saved to {path}: {path} was written by a newer ")
    assert line.endswith("): update Slipstream. Trying again until it works.")
    assert path.read_bytes() == content
