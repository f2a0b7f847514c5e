"""The chat on the whole terminal: Textual's driver of Linux and macOS, on a stream that lasts."""

from __future__ import annotations

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from app.tui.terminal.terminal_file import terminal_file


class WholeDriver(LinuxDriver):
    """Paints on the stream that is a terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = terminal_file(self._file)
