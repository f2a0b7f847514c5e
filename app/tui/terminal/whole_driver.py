"""The chat on the whole terminal: Textual's driver of Linux and macOS, on a stream that lasts."""

from __future__ import annotations

import termios
from contextlib import suppress
from typing import Any

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
        self._own_mode: list[Any] = []

    def start_application_mode(self) -> None:
        """Take the terminal."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        with suppress(termios.error):
            self._own_mode = termios.tcgetattr(self.fileno)

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        self._own_mode = []
        super().stop_application_mode()

    def resume_application_mode(self) -> None:
        """Take the terminal again, and paint all of it: others have written there meanwhile."""
        super().resume_application_mode()
        self._loop.call_soon_threadsafe(self._app.call_later, self._app.refresh)

    def _sigcont_application(self, *_: object) -> None:
        """Go on, and take the terminal if it was given back for the stop, or was never had.

        Of a stop that cannot be seen coming, as by kill -STOP, it has it still: taken once more,
        it would be given back in the end as it is now.
        """
        if self._must_signal_resume or self._key_thread is None:
            super()._sigcont_application()
        elif self._own_mode:
            self._loop.call_soon_threadsafe(self._come_back)

    def _come_back(self) -> None:
        """Have the terminal as it was, which a shell had meanwhile, and paint all of it."""
        if self._own_mode:
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._own_mode)
            self._enable_bracketed_paste()
            self._app.call_later(self._app.refresh)
