"""Paints on standard output where standard error, which Textual takes by itself, leads elsewhere:
`slipstream 2>file` is a chat, too.
"""

from __future__ import annotations

import sys

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class StdoutDriver(LinuxDriver):
    """Textual's driver of Linux and macOS on the other stream."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = sys.__stdout__
