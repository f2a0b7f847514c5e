"""The hub that the tests of the hub share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub.real_client import untell
from tests.hub.seeing import CONTENT, FILE, REPO
from tests.hub.server import Hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that holds one file."""
    untell(monkeypatch)
    with Hub() as hub:
        hub.add(REPO, FILE, CONTENT)
        yield hub
