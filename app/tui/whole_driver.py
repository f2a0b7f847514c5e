"""The chat on the whole terminal: Textual's driver of Linux and macOS, made to last.

It paints on standard output where standard error, which Textual takes by itself, leads elsewhere:
`slipstream 2>file` is a chat, too. And a terminal that is gone must not keep the app from its end:
Textual's writing thread would die of it, and the app wait for ever for room in that thread's queue.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import IO, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class LastingFile:
    """A text stream whose writer does not hear of it when nobody takes what is written any more."""

    def __init__(self, file: IO[str]) -> None:
        self._to = file

    def write(self, text: str) -> None:
        """Write, if it goes."""
        with suppress(OSError):
            self._to.write(text)

    def flush(self) -> None:
        """Have all written, if it goes."""
        with suppress(OSError):
            self._to.flush()

    def isatty(self) -> bool:
        """Whether it leads to a terminal."""
        return self._to.isatty()

    def fileno(self) -> int:
        """Return its number."""
        return self._to.fileno()


class WholeDriver(LinuxDriver):
    """Textual's driver on the stream that is a terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        if self._file is None or not self._file.isatty():
            self._file = sys.__stdout__
        if self._file is not None:
            self._file = cast("TextIOWrapper", LastingFile(self._file))
