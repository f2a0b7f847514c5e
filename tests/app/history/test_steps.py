"""The steps of an answer are kept whole, for the last answers, and go with their chat."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from app.history import History, schema, store
from app.history.steps import MOST_BYTES, MOST_UNPACKED, pack_steps, unpack_steps
from app.history.words import indexed
from engine import CORRECTED, PLAIN, Span, TracedStep
from tests.app.history.chats import Clock, said

PLAIN_STEP = TracedStep([], [], 0, Span("It", PLAIN), 0.2, 0.2)
DRAFTED = TracedStep(
    [Span(" is", "lookup"), Span(" nót", "draft_model")],
    [0.9, 0.25],
    1,
    Span(" é", CORRECTED),
    0.031,
    0.052,
)


def answer_of(history: History, chat: int) -> int:
    assert history.flush()
    return history.chat(chat).path()[-1].id


def test_steps_come_back_whole_after_a_restart(path: Path, clock: Clock) -> None:
    first = History.open(path, clock=clock)
    message = answer_of(first, said(first, "What?"))
    first.keep_steps(message, [PLAIN_STEP, DRAFTED])
    assert first.close()
    again = History.open(path, clock=clock)
    assert again.steps(message) == [PLAIN_STEP, DRAFTED]
    again.keep_steps(message, [DRAFTED])
    assert again.flush() and again.steps(message) == [DRAFTED]
    again.keep_steps(message, [])
    assert again.flush() and again.steps(message) == []
    assert again.close()


def test_steps_are_kept_of_the_last_answers_alone(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_ANSWERS", 3)
    answers = [answer_of(history, said(history, f"question {n}")) for n in range(5)]
    for message in answers:
        history.keep_steps(message, [DRAFTED])
    assert history.flush()
    assert [bool(history.steps(message)) for message in answers] == [False, False, True, True, True]


def test_an_endless_answer_keeps_no_steps() -> None:
    letters = Random(5)
    noise = ["".join(chr(letters.randrange(33, 0x3000)) for _ in range(50)) for _ in range(3000)]
    steps = [TracedStep([Span(text, "lookup")], [0.5], 1, Span("", PLAIN), 1, 1) for text in noise]
    assert pack_steps(steps[:10]) and pack_steps(steps) == b""
    assert len(pack_steps([DRAFTED] * 3000)) < MOST_BYTES


@pytest.mark.parametrize(
    "packed", [b"", b"x", zlib.compress(b"\xc1"), zlib.compress(b"\x00" * (2 * MOST_UNPACKED))]
)
def test_what_cannot_be_understood_is_as_good_as_not_kept(packed: bytes) -> None:
    assert unpack_steps(packed) == []


def test_steps_that_a_version_before_near_ties_kept_are_understood() -> None:
    kept = msgspec.msgpack.encode([list(msgspec.structs.astuple(DRAFTED))[:-1]])
    assert unpack_steps(zlib.compress(kept)) == [DRAFTED]


def test_steps_go_with_their_chat(path: Path, clock: Clock) -> None:
    history = History.open(path, clock=clock)
    chat = said(history, "What?")
    message = answer_of(history, chat)
    history.keep_steps(message, [DRAFTED])
    history.delete(chat)
    history.erase([chat])
    assert history.flush() and history.steps(message) == []
    assert history.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM steps").fetchone() == (0,)


def test_a_file_of_the_version_before_keeps_its_chats_and_gets_steps(
    path: Path, clock: Clock
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.create_function("indexed", 1, indexed)
        schema.migrate(old, upto=2)
        old.execute("INSERT INTO chats (id, title, created_at, updated_at) VALUES (1, 'Old', 1, 1)")
        old.execute(
            "INSERT INTO messages (id, chat, role, created_at, content) "
            "VALUES (2, 1, 'user', 1, 'Hm?'), (3, 1, 'assistant', 1, 'Hm.')"
        )
    history = History.open(path, clock=clock)
    assert history.notice == ""
    assert history.chat(1).path()[-1].content == "Hm."
    history.keep_steps(3, [DRAFTED])
    assert history.flush() and history.steps(3) == [DRAFTED]
    assert history.close()
