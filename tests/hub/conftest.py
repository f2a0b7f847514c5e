"""The hub that the tests of the hub share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub.real_client import untold
from tests.hub.seeing import CONTENT, FILE, REPO
from tests.hub.server import Hub

__all__ = ["hub", "untold"]


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub that holds one file."""
    with Hub() as hub:
        hub.add(REPO, FILE, CONTENT)
        yield hub
