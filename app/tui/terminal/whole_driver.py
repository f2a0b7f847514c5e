"""The chat on the whole terminal: Textual's driver of Linux and macOS, on a stream that lasts."""

from __future__ import annotations

from textual.app import App
from textual.drivers import linux_driver

from app.tui.terminal import pastes
from app.tui.terminal.terminal_file import terminal_file


class WholeDriver(linux_driver.LinuxDriver):
    """Paints on the stream that is a terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        pastes.are_whole(linux_driver)
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = terminal_file(self._file)

    def resume_application_mode(self) -> None:
        """Take the terminal again, and paint all of it: others have written there meanwhile."""
        super().resume_application_mode()
        self._loop.call_soon_threadsafe(self._app.call_later, self._app.refresh)
