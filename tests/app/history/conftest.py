"""A history in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history import History
from tests.app.history.chats import Clock, Reports


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the history is."""
    return tmp_path / "data" / "history.db"


@pytest.fixture
def clock() -> Clock:
    """The time."""
    return Clock()


@pytest.fixture
def reports() -> Reports:
    """What the writer says."""
    return Reports()


@pytest.fixture
def history(path: Path, clock: Clock, reports: Reports) -> Iterator[History]:
    """An empty history."""
    history = History.open(path, reports, clock)
    yield history
    assert history.close()
