"""A line on a terminal that says what is waited for, and is gone before anything else stands there.

It needs no escape sequences, and is written only where the answer goes to a terminal, too: a pager
behind a pipe would have it in its picture.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class PassingLine:
    """Writes to standard error; whoever prints something clears it first."""

    def __init__(self) -> None:
        self._is_seen = all(
            stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr)
        )
        self._said = ""

    def say(self, text: str) -> None:
        """Say this instead of what stands there, as much of it as fits into one row."""
        if self._is_seen and text != self._said:
            self.clear()
            encoding = sys.stderr.encoding
            # what cannot be written is put otherwise first: the line is to be cleared in its length
            text = text.encode(encoding, "replace").decode(encoding)
            self._said = text[: shutil.get_terminal_size().columns - 1]
            print(self._said, end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave an empty row, and the cursor at its beginning."""
        if self._said:
            print(f"\r{' ' * len(self._said)}\r", end="", file=sys.stderr, flush=True)
            self._said = ""


@contextmanager
def passing_line() -> Iterator[PassingLine]:
    """Yield a line that is gone afterwards, however that comes."""
    line = PassingLine()
    try:
        yield line
    finally:
        line.clear()
