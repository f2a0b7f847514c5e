"""The chat below the shell's prompt: Textual's inline driver, on a terminal of fewer rows.

To the app the terminal ends where its own rows do, so every screen is laid out as in a small one.
Textual clears the whole terminal where its size changes; here what stands above the chat stays.
Where the terminal wraps its lines anew, parts of the picture may get among those above.
"""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.drivers import linux_inline_driver
from textual.geometry import Size

from app.tui.terminal import pastes
from app.tui.terminal.terminal_file import terminal_file

FEWEST, MOST = 14, 24
"""Rows that it takes at least, where the terminal has them, and at most."""
BUFFER_BYTES = 1 << 18


def rows_of(terminal: int) -> int:
    """Return how many of a terminal's rows it takes: two of three."""
    return min(terminal, max(FEWEST, min(MOST, terminal * 2 // 3)))


def rewraps(environment: Mapping[str, str]) -> bool:
    """Whether a terminal that gets narrower wraps the lines that are there anew, as most do."""
    is_old = environment.get("TERM") == "linux" or {"XTERM_VERSION", "STY"} & environment.keys()
    return "TMUX" in environment or not is_old


class InlineDriver(linux_inline_driver.LinuxInlineDriver):
    """Paints through a buffer of its own: without one, as PYTHONUNBUFFERED has it, a long picture
    may arrive in part.
    """

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        pastes.are_whole(linux_inline_driver)
        super().__init__(app, debug=debug, mouse=mouse, size=size or self._get_terminal_size())
        self._file = terminal_file(self._file, BUFFER_BYTES)
        self._own_mode: list[Any] = []

    def write(self, data: str) -> None:
        """Write; what is wider than the terminal is by then is cut, and does not wrap."""
        super().write(f"\x1b[?7l{data}\x1b[?7h")

    def start_application_mode(self) -> None:
        """Begin, and follow the terminal's size, and the shell's jobs."""
        super().start_application_mode()
        with suppress(termios.error):
            self._own_mode = termios.tcgetattr(self.fileno)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self._follow)
        loop.add_signal_handler(signal.SIGCONT, self._come_back)

    def stop_application_mode(self) -> None:
        """Take the picture away, and end."""
        self._own_mode = []
        self._erase()
        super().stop_application_mode()

    def _come_back(self) -> None:
        """Take the terminal again, which a shell had while this was stopped, unless it is left."""
        if self._own_mode:
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._own_mode)
            self._app.refresh()

    def _get_terminal_size(self) -> tuple[int, int]:
        columns, rows = super()._get_terminal_size()
        return columns, rows_of(rows)

    def _follow(self) -> None:
        """Take another size, and the old picture away; lines that are too long now have wrapped."""
        size, before = Size(*self._get_terminal_size()), self._app.size
        if size == before:
            return
        below = self._app._previous_cursor_position.y
        parts = -(-before.width // max(1, size.width)) if rewraps(os.environ) else 1
        self.write(f"\x1b[{below * parts}A" * bool(below))
        self._erase()
        self.write("\n" * below)
        self._app.post_message(events.Resize(size, size))

    def _erase(self) -> None:
        """Erase all from the cursor's row on, row by row: tmux keeps a screen that is erased as a
        whole among the lines that one can scroll back to.
        """
        rows = super()._get_terminal_size()[1]
        self.write("\r\x1b7" + "\x1b[2K\x1b[B" * rows + "\x1b[2K\x1b8")
