"""Deleted chats are kept for a while, also over a restart, and what is erased leaves no word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.history import DELETED_FOR_S, History, Outcome, database
from engine import PLAIN, Span, TracedStep
from tests.app.history.chats import STOPPED, Clock, Reports, found, integrity, said, titles

DAY_S = 86_400
SECRET = "xylophones"


def on_disk(folder: Path) -> bool:
    """Whether any file of the history still holds the word."""
    return any(SECRET.encode() in file.read_bytes() for file in folder.iterdir())


def test_a_deleted_chat_can_be_restored_after_a_restart(path: Path, clock: Clock) -> None:
    first = History.open(path, clock=clock)
    chat, other = said(first, SECRET), said(first, "other")
    first.delete(chat)
    clock.now += 1
    first.delete(other)
    assert first.close()
    clock.now += DELETED_FOR_S - DAY_S
    again = History.open(path, clock=clock)
    again.purge()
    assert again.flush()
    assert [info.title for info in again.deleted()] == ["other", SECRET]
    assert again.deleted()[1].deleted_at == clock.now - 1 - (DELETED_FOR_S - DAY_S)
    again.undelete(chat)
    assert titles(again) == [SECRET] and again.n_deleted() == 1
    assert again.chats()[0].deleted_at is None
    assert again.close()


@pytest.mark.parametrize("mode", ["TRUNCATE", "WAL"])
def test_no_word_of_an_erased_chat_is_left_on_the_disk(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(database, "journal_mode", lambda version: mode)
    history = History.open(path, clock=clock)
    for n in range(20):
        said(history, f"kept {n}", "as it is " * 100)
    chat = said(history, f"where are the {SECRET}?", f"The {SECRET} are here. " * 200)
    assert history.flush()
    for times in (90, 9):
        history.summarise(history.chat(chat).path()[-1].id, f"The {SECRET} are found. " * times)
    assert history.flush() and on_disk(path.parent)
    history.delete(chat)
    assert history.flush() and on_disk(path.parent)
    history.erase([chat])
    assert history.flush()
    assert not on_disk(path.parent)
    history.undelete(chat)
    assert len(titles(history)) == 20
    assert found(history, SECRET) == [] and found(history, "kept")
    assert history.close() and integrity(path) == "ok"


def test_an_answer_that_ends_after_its_chat_was_erased_is_no_fault(
    history: History, reports: Reports
) -> None:
    chat = history.new_chat()
    answer = history.add(chat, history.add(chat, None, "user", "Why?"), "assistant")
    history.write(answer, [Span("Bec", PLAIN)])
    history.delete(chat)
    history.erase([chat])
    history.write(answer, [Span("ause", PLAIN)])
    history.finish(answer, "Because", Outcome("cancelled"))
    step = TracedStep([], [], 0, Span("Because", PLAIN), 0.02, 0.02)
    history.keep_steps(answer, [step])
    assert history.flush()
    assert reports.lines == [] and titles(history) == []


def test_only_deleted_chats_are_erased(history: History) -> None:
    chat = said(history, "still here")
    history.erase([chat])
    assert titles(history) == ["still here"]


@pytest.mark.parametrize("n_written", [0, 1, 5])
def test_time_erases_every_word_too(path: Path, clock: Clock, n_written: int) -> None:
    """Also the earlier states of an answer, which were written while it streamed."""
    history, whole = History.open(path, clock=clock), f"{SECRET} " * 500
    chat = history.new_chat()
    answer = history.add(chat, history.add(chat, None, "user", SECRET), "assistant")
    for n in range(n_written):
        history.write(answer, [Span(f"{SECRET} " * (40 + 33 * n), "plain")])
        assert history.flush()
    history.finish(answer, whole, STOPPED)
    history.delete(chat)
    clock.now += DELETED_FOR_S + 1
    said(history, "later")
    history.purge()
    assert history.flush()
    assert history.deleted() == []
    assert not on_disk(path.parent)
    assert history.close()


def test_a_clock_that_jumps_erases_nothing_before_something_is_said(
    path: Path, clock: Clock
) -> None:
    history = History.open(path, clock=clock)
    history.delete(said(history, SECRET))
    clock.now += 2 * DELETED_FOR_S
    history.purge()
    assert history.flush() and history.n_deleted() == 1
    said(history, "the right time, or a long holiday")
    history.purge()
    assert history.flush() and history.n_deleted() == 0
    assert history.close()


def test_a_time_to_come_that_a_file_brings_in_keeps_no_chat_and_undoes_no_guard(
    path: Path, clock: Clock
) -> None:
    history = History.open(path, clock=clock)
    times = {"created_at": 2.0**36, "updated_at": 2.0**36}
    said_then = {"role": "user", "content": SECRET, "created_at": 2.0**36}
    chats = [{"title": "T", "messages": [said_then], **times}]
    file = {"format": "slipstream-chats", "version": 1, "chats": chats}
    (chat,) = history.import_json(json.dumps(file).encode()).chats
    assert history.flush()
    found, (message,) = history.chat(chat).info, history.chat(chat).messages
    assert (found.created_at, found.updated_at, message.created_at) == (clock.now,) * 3
    history.delete(chat)
    clock.now += 2 * DELETED_FOR_S
    history.purge()
    assert history.flush() and history.n_deleted() == 1, "the clock may have jumped"
    said(history, "it has not")
    history.purge()
    assert history.flush() and history.n_deleted() == 0
    assert history.close()


def test_a_chat_that_is_deleted_in_1970_is_kept_as_long_as_any_other(
    path: Path, clock: Clock
) -> None:
    history = History.open(path, clock=clock)
    chat, today = said(history, SECRET), clock.now
    clock.now = 100.0
    history.delete(chat)
    clock.now = today + DAY_S
    said(history, "the time is right again")
    history.purge()
    assert history.flush() and history.n_deleted() == 1
    assert history.close()


def test_what_is_said_in_a_chat_that_was_erased_elsewhere_is_told_to_be_unsaved(path: Path) -> None:
    reports = Reports()
    here, other = History.open(path, reports), History.open(path)
    chat = said(here, "question")
    assert here.flush() and not here.is_unsaved
    other.delete(chat)
    assert other.erase([chat]) == set() and other.close()
    here.add(chat, None, "user", "again")
    assert not here.flush() and here.is_unsaved
    assert reports.lines == [
        "A change to the chats could not be saved: another window has erased the chat."
    ]
    assert not here.close()
