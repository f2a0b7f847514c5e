"""All is read of a pipe, and no more than can be asked."""

from __future__ import annotations

import fcntl
import io
import os
import sys
import termios
import threading
from pathlib import Path

import pytest

from app.errors import AppError
from app.files.attachments import read
from app.terminal.piped import MOST_BYTES, NOT_ALL_TEXT, read_piped
from engine import MAX_PROMPT_CHARS
from tests.app.models.pulling import until


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


@pytest.mark.parametrize("raw", [b"\x7fELF\x02\x00", "text".encode("utf-16")])
def test_what_is_no_text_is_refused(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    with pytest.raises(AppError, match=r"^What came through the pipe is no text in UTF-8"):
        read_piped(None)


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (b"\n  image: x\n  ports:\n    - 80\n", "  image: x\n  ports:\n    - 80"),
        (b"  one line\n", "one line"),
    ],
)
def test_a_part_of_a_file_keeps_its_first_line_where_that_belongs(
    raw: bytes, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert read_piped(None) == kept


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf  a: 1\r\n  b: 2", b"\xef\xbb\xbf", b"a\rb"])
def test_what_windows_writes_is_read_as_it_is_of_a_file(
    raw: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_bytes(raw)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    text = read_piped(None)
    assert text == read(tmp_path / "a.yaml").text and not {"\r", "\ufeff"} & {*text}


@pytest.mark.parametrize(
    ("raw", "text", "told"),
    [
        ("Grüße, Ж".encode(), "Grüße, Ж", ""),
        ("Grüße".encode("latin-1"), "Gr\ufffd\ufffde", f"slipstream: {NOT_ALL_TEXT}\n"),
        ("a\ufffdb".encode(), "a\ufffdb", ""),
        ("\ufeffa\r\n".encode(), "a", ""),
    ],
    ids=["text", "other", "replaced before", "mark"],
)
def test_bytes_that_are_no_text_are_told(
    raw: bytes,
    text: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert read_piped(None) == text
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("sign", ["x", "\N{GRINNING FACE}"], ids=["one byte", "four"])
def test_characters_are_counted_not_bytes(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(n: int) -> str:
        raw = io.BytesIO((sign * n).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        return read_piped(None)

    assert len(piped(MAX_PROMPT_CHARS)) == MAX_PROMPT_CHARS
    with pytest.raises(AppError, match="send a part"):
        piped(MAX_PROMPT_CHARS + 1)


def n_waiting(pipe: int) -> int:
    """Return how many bytes are in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_of_a_pipe_that_does_not_block_all_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    end, start = os.pipe()
    os.set_blocking(end, False)
    os.write(start, b"What does ")

    def go_on() -> None:
        until(lambda: n_waiting(end) == 0)
        os.write(start, b"join do?")
        os.close(start)

    with open(end) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        writer = threading.Thread(target=go_on)
        writer.start()
        assert read_piped(None) == "What does join do?"
        writer.join()
        assert not os.get_blocking(end), "it is the writer's, too"
