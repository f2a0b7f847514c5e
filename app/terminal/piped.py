"""What is piped into a command, without ever waiting for ever on a pipe that nobody writes to, and
without reading more than can be asked.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import AppError
from app.trimmed import trimmed_lines
from engine import MAX_PROMPT_CHARS

MOST_BYTES = 4 * MAX_PROMPT_CHARS
"""A character has four at most."""
NOT_ALL_TEXT = (
    "some bytes that came through the pipe are no UTF-8, and are asked about as \ufffd; iconv "
    "converts other encodings."
)


def read_piped(wait_s: float | None) -> str:
    """Return standard input's text without white space around it, but for what the first of several
    lines is indented by, and with line feeds alone, as a file's that is attached; "" if it is a
    terminal, closed or empty.

    wait_s: give up if nothing arrives for this long; None waits for as long as it takes.
    Raises AppError if there is more than can be asked, or what is no text.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return ""
    if wait_s is not None and not _readable(wait_s):
        print(
            "slipstream: nothing came through the pipe; going on without it (- waits for it).",
            file=sys.stderr,
        )
        return ""
    with _waited_for():
        read = sys.stdin.buffer.read(MOST_BYTES + 1)
    if b"\x00" in read:
        raise AppError("What came through the pipe is no text in UTF-8: it has bytes of zero.")
    whole = read.decode("utf-8-sig", "replace")
    text = trimmed_lines(whole.replace("\r\n", "\n").replace("\r", "\n"))
    if len(read) > MOST_BYTES or len(text) > MAX_PROMPT_CHARS:
        raise AppError(
            f"More than {MAX_PROMPT_CHARS:,} characters came through the pipe, and so many at most "
            "can be asked: send a part of them."
        )
    if whole.encode() != read.removeprefix(codecs.BOM_UTF8):
        print(f"slipstream: {NOT_ALL_TEXT}", file=sys.stderr)
    return text


@contextmanager
def _waited_for() -> Iterator[None]:
    """Have standard input waited for, and be then as the program that shares it with us left it:
    what reads of a pipe that does not block get is what happens to be in it, or nothing.
    """
    try:
        descriptor = sys.stdin.fileno()
        blocks = os.get_blocking(descriptor)
    except (OSError, ValueError):  # no file of the system's
        yield
        return
    os.set_blocking(descriptor, True)
    try:
        yield
    finally:
        os.set_blocking(descriptor, blocks)


def _readable(wait_s: float) -> bool:
    try:
        return bool(select.select([sys.stdin], [], [], wait_s)[0])
    except (OSError, ValueError):  # not a thing that can be waited for: a file, say
        return True
