"""No more is read of a pipe than can be asked."""

from __future__ import annotations

import io
import sys

import pytest

from app.errors import AppError
from app.terminal.piped import MOST_BYTES, read_piped
from engine import MAX_PROMPT_CHARS


class Endless(io.RawIOBase):
    """A pipe whose writer never ends; n_read: bytes that were taken of it."""

    n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self.n_read += len(buffer)
        assert self.n_read < 4 * MOST_BYTES, "it would be read for ever"
        buffer[:] = b"x" * len(buffer)
        return len(buffer)


def test_a_pipe_without_an_end_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipe = Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    with pytest.raises(AppError, match=r"^More than 4,194,304 characters came through the pipe"):
        read_piped(None)
    assert MOST_BYTES < pipe.n_read < 2 * MOST_BYTES


@pytest.mark.parametrize("sign", ["x", "\N{GRINNING FACE}"], ids=["one byte", "four"])
def test_characters_are_counted_not_bytes(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(n: int) -> str:
        raw = io.BytesIO((sign * n).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        return read_piped(None)

    assert len(piped(MAX_PROMPT_CHARS)) == MAX_PROMPT_CHARS
    with pytest.raises(AppError, match="send a part"):
        piped(MAX_PROMPT_CHARS + 1)
