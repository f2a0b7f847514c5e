"""A byte that is damaged in a text, be it of a chat or of the schema, hides no chat for good; nor
does a page of another time.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import History, schema
from app.history.words import indexed
from tests.app.history.chats import Clock, integrity, said, titles

PAGE = 4096
CHATS = ["chat 2", "chat 1", "chat 0"]


@pytest.fixture
def written(path: Path, clock: Clock) -> Path:
    """Where three chats are."""
    history = History.open(path, clock=clock)
    for title in reversed(CHATS):
        said(history, title, f"An answer in {title}")
        clock.now += 1
    assert history.close()
    return path


def harm(path: Path, text: bytes, damaged: bytes) -> None:
    """Damage a text wherever it is in the file."""
    content = path.read_bytes()
    assert text in content and len(text) == len(damaged)
    path.write_bytes(content.replace(text, damaged))


def test_a_schema_that_cannot_even_be_quoted_is_damage(written: Path, clock: Clock) -> None:
    harm(written, b"CREATE TABLE chats", b"CREATE\xffTABLE chats")
    history = History.open(written, clock=clock)
    assert history.notice.endswith("could be read of it: 3 chats.")
    assert titles(history) == CHATS
    assert history.close() and integrity(written) == "ok"


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        (b"    title TEXT", b"    tiule TEXT"),
        (b"    created_at REAL", b"    cre\xe1ted_at REAL"),
        (b"    system TEXT", b"    sysuem TEXT"),
        (b"    content TEXT", b"    contend TEXT"),
        (
            b"INDEX children ON messages (chat, parent)",
            b"INDEX children ON messages (chat, qarent)",
        ),
        (b"INDEX wanted ON pictures (id)", b"INDEX wanted ON pictures (ie)"),
        (b"indexed(new.title)", b"indexed(new.tiule)"),
    ],
)
def test_a_damaged_name_in_the_schema_is_noticed_before_anything_is_lost(
    written: Path, clock: Clock, name: bytes, damaged: bytes
) -> None:
    harm(written, name, damaged)
    history = History.open(written, clock=clock)
    assert history.notice.endswith("could be read of it: 3 chats.")
    clock.now += 1
    said(history, "Asked since")
    assert titles(history) == ["Asked since", *CHATS]
    assert history.close() and integrity(written) == "ok"


@pytest.mark.parametrize("version", [-1, 0, 3])
def test_a_damaged_version_is_damage(written: Path, clock: Clock, version: int) -> None:
    with closing(sqlite3.connect(written)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with closing(History.open(written, clock=clock)) as history:
        assert history.notice.endswith("could be read of it: 3 chats.")
        assert titles(history) == CHATS


@pytest.mark.parametrize("version", range(1, schema.VERSION + 1))
def test_a_sound_file_of_any_version_is_taken_as_it_is(
    path: Path, clock: Clock, version: int
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.create_function("indexed", 1, indexed)
        schema.migrate(connection, version)
        connection.execute("CREATE TABLE somebodys (own)")
    for _ in range(2):
        with closing(History.open(path, clock=clock)) as history:
            assert history.notice == ""


def test_a_damaged_title_hides_no_chat(written: Path, clock: Clock) -> None:
    harm(written, b"chat 1", b"ch\xfft 1")
    history = History.open(written, clock=clock)
    assert titles(history) == ["chat 2", "ch\N{REPLACEMENT CHARACTER}t 1", "chat 0"]
    assert history.close()


def test_a_damaged_message_is_shown_and_mended_at_the_next_start(
    written: Path, clock: Clock
) -> None:
    harm(written, b"answer in chat 1", b"answ\xffr in chat 1")
    history = History.open(written, clock=clock)
    chat = history.chats()[1].id
    for is_mended in (False, True):
        read = [message.content for message in history.chat(chat).path()]
        assert read == ["chat 1", "An answ\N{REPLACEMENT CHARACTER}r in chat 1"]
        assert ("was damaged" in history.notice) is is_mended
        assert history.close()
        history = History.open(written, clock=clock)
    assert history.notice == ""
    history.delete(chat)
    history.erase([chat])
    assert titles(history) == ["chat 2", "chat 0"]
    assert history.close() and integrity(written) == "ok"


def test_what_a_damaged_text_keeps_from_being_erased_is_erased_after_the_next_start(
    written: Path, clock: Clock
) -> None:
    harm(written, b"answer in chat 1", b"answ\xffr in chat 1")
    history = History.open(written, clock=clock)
    history.delete(history.chats()[1].id)
    assert history.close()
    for n_left in (1, 0):
        history = History.open(written, clock=clock)
        history.purge(-99)
        history.flush()
        assert history.n_deleted() == n_left
        history.close()


def test_a_copy_that_is_torn_between_two_times_is_mended_or_put_aside_at_the_next_start(
    path: Path, clock: Clock
) -> None:
    history = History.open(path, clock=clock)
    for n in range(12):
        said(history, f"question {n}", "word " * 300)
    assert history.close()
    early = path.read_bytes()
    history = History.open(path, clock=clock)
    for n in range(12, 24):
        clock.now += 60
        said(history, f"question {n}", "word " * 300)
    assert history.close()
    late = path.read_bytes()
    n_put_aside = 0
    for at in range(PAGE, len(early), PAGE):
        if early[at : at + PAGE] == late[at : at + PAGE]:
            continue
        folder = path.with_name(str(at))
        folder.mkdir()
        copy = folder / "history.db"
        copy.write_bytes(late[:at] + early[at : at + PAGE] + late[at + PAGE :])
        is_well = True
        for start in range(6):
            history = History.open(copy, clock=clock)
            n_put_aside += "was damaged" in history.notice
            was_well, is_well = is_well, True
            try:
                for chat in history.chats(100):
                    history.chat(chat.id)
            except HistoryError:
                is_well = False
            said(history, f"Asked at {start}")
            is_well &= history.flush()
            assert is_well or was_well, (at, start)  # what was found damaged is mended at once
            assert history.close() or not is_well
    assert n_put_aside
