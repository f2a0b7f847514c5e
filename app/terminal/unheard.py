"""Standard error, as a place for words that nobody may be able to hear.

Statistics and progress are beside what a command is for: a disk that is full, or a reader that is
gone, must not take the answer or the download with them.
"""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any


def mend_stderr() -> None:
    """Have what cannot be written to standard error be lost, unless it was replaced: by tests."""
    stream = sys.stderr
    if stream is not sys.__stderr__ or not isinstance(stream, io.TextIOWrapper):
        return
    raw = _Unheard(stream.fileno(), "w", closefd=False)
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True
    )


class _Unheard(io.FileIO):
    """A file that takes everything, and writes what it can."""

    def write(self, data: Any) -> int:
        """Return the length of `data` in bytes: all of it is dealt with, one way or the other."""
        left = memoryview(data).cast("B")
        length = len(left)
        with contextlib.suppress(OSError):
            while left:
                left = left[super().write(left) or len(left) :]
        return length
