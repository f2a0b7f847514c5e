"""The terminal that the chat paints on, as a text stream that lasts.

Textual paints on standard error. Where that leads elsewhere standard output is painted on, so that
`slipstream 2>file` is a chat, too. And a terminal that is gone must not keep the app from its end:
Textual's writing thread would die of it, and the app wait for ever for room in that thread's queue.
It would die of a character, too, that the encoding of the locale lacks: that is shown as "?".
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import IO, TextIO, cast


class LastingFile:
    """A text stream whose writer does not hear of it when nobody takes what is written any more."""

    def __init__(self, file: IO[str]) -> None:
        self._to = file

    def write(self, text: str) -> None:
        """Write, if it goes."""
        with suppress(OSError, ValueError):
            self._to.write(text)

    def flush(self) -> None:
        """Have all written, if it goes."""
        with suppress(OSError, ValueError):
            self._to.flush()

    def isatty(self) -> bool:
        """Whether it leads to a terminal."""
        return self._to.isatty()

    def fileno(self) -> int:
        """Return its number."""
        return self._to.fileno()


def terminal_file(chosen: IO[str] | None, buffer_bytes: int = 0) -> TextIOWrapper | None:
    """Return the stream to paint on in place of the one that Textual chose; None without any.

    buffer_bytes: 0 to write through the stream's own buffer, if it has one.
    """
    file = cast("TextIO | None", chosen)
    if file is None or not file.isatty():
        file = sys.__stdout__
    if file is None:
        return None
    if buffer_bytes:
        file = open(  # noqa: SIM115
            file.fileno(), "w", buffer_bytes, file.encoding, errors="replace", closefd=False
        )
    elif isinstance(file, TextIOWrapper):
        file.reconfigure(errors="replace")
    return cast("TextIOWrapper", LastingFile(file))
