"""Standard output, which knows whether an error is its own: the system's number alone does not tell
a full disk below it from one below another file.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any


def mend_stdout() -> None:
    """Have errors of standard output be known, unless it was replaced, as by tests, or is no file,
    as Windows' console is none.

    One that PYTHONUNBUFFERED lets keep nothing is written line by line.
    """
    out = sys.stdout
    if out is not sys.__stdout__ or not isinstance(out, io.TextIOWrapper):
        return
    if not isinstance(getattr(out.buffer, "raw", out.buffer), io.FileIO):
        return
    raw = _Output(out.fileno(), "w", closefd=False)
    by_line = out.line_buffering or out.write_through
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw), out.encoding, out.errors, line_buffering=by_line
    )


def is_of_stdout(error: OSError) -> bool:
    """Whether it is standard output that could not be written."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, _Output) and raw.error is error


def forget_stdout() -> None:
    """Have what was printed and not written go nowhere: Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Output(io.FileIO):
    """A file that remembers why it could not be written last."""

    error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write as much as the system takes. Raises OSError."""
        try:
            return super().write(data)
        except OSError as error:
            self.error = error
            raise
