"""The chat below the shell's prompt: Textual's inline driver, on a terminal of fewer rows.

To the app the terminal ends where its own rows do, so every screen is laid out as in a small one.
Textual clears the whole terminal where its size changes; here what stands above the chat stays.
"""

from __future__ import annotations

import asyncio
import signal
import sys

from textual import events
from textual.app import App
from textual.drivers.linux_inline_driver import LinuxInlineDriver
from textual.geometry import Size

FEWEST, MOST = 14, 24
"""Rows that it takes at least, where the terminal has them, and at most."""


def rows_of(terminal: int) -> int:
    """Return how many of a terminal's rows it takes: two of three."""
    return min(terminal, max(FEWEST, min(MOST, terminal * 2 // 3)))


class InlineDriver(LinuxInlineDriver):
    """Paints on standard output where standard error, Textual's choice, leads elsewhere."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size or self._get_terminal_size())
        if self._file is None or not self._file.isatty():
            self._file = sys.__stdout__

    def start_application_mode(self) -> None:
        """Begin, and follow the terminal's size."""
        super().start_application_mode()
        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, self._follow)

    def _get_terminal_size(self) -> tuple[int, int]:
        columns, rows = super()._get_terminal_size()
        return columns, rows_of(rows)

    def _follow(self) -> None:
        """Take another size, and the old picture away; lines that are too long now have wrapped."""
        size, before = Size(*self._get_terminal_size()), self._app.size
        if size == before:
            return
        below = self._app._previous_cursor_position.y
        wrapped = below * -(-before.width // max(1, size.width))
        self.write(f"\x1b[{wrapped}A" * bool(wrapped) + "\r\x1b[J" + "\n" * below)
        self._app.post_message(events.Resize(size, size))
