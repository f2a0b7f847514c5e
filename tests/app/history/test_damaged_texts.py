"""A byte that is damaged in a text, be it of a chat or of the schema, hides no chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from tests.app.history.chats import Clock, integrity, said, titles

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
