"""What has arrived is handed on while nothing more comes, and gathered while it does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest
import requests

from app.models.stream import Body


class Raw:
    """A response's bytes, piece by piece, over a socket that says whether there are more."""

    length_remaining = None

    def __init__(self, sock: socket.socket, pieces: list[bytes]) -> None:
        self.connection = SimpleNamespace(sock=sock)
        self._pieces = pieces

    def read1(self, amt: int, decode_content: bool) -> bytes:
        assert self._pieces, "a read that would wait for ever"
        return self._pieces.pop(0)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def body(raw: Raw) -> Body:
    return Body(0, None, None, cast(requests.Response, SimpleNamespace(raw=raw)))


def test_what_came_before_a_stall_is_not_held_back(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    assert next(body(Raw(ends[0], [b"abc"])).chunks()) == b"abc"


def test_what_goes_on_coming_is_gathered(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.send(b"more")
    assert list(body(Raw(ours, [b"abc", b"def", b""])).chunks()) == [b"abcdef"]
