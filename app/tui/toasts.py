"""What is told in passing: how long it stays, what it takes the place of, and when it goes."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import App
from textual.notifications import Notification, SeverityLevel

WORDS: Mapping[SeverityLevel, str] = {"warning": "Warning", "error": "Error"}
UNTITLED = ("", *WORDS.values())
BRIEF_S, GRAVE_S = 2.0, 5.0
"""How long a toast stays at least: one that confirms, and one that warns or has a title."""
READ_PER_S = 20
"""Characters that are read in a second without haste."""


class ToastingApp(App[None]):
    """An app whose toasts do not pile up."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something in a toast; how serious it is says a word, too, not a colour alone.

        What has no title says how it went what the person did: the newest of these is enough.
        """
        if not title:
            for told in self._untitled:
                self._take_away(told)
        least = GRAVE_S if title or severity != "information" else BRIEF_S
        super().notify(
            message,
            title=title or WORDS.get(severity, ""),
            severity=severity,
            timeout=max(least, len(message) / READ_PER_S) if timeout is None else timeout,
            markup=markup,
        )

    def forget_told(self) -> None:
        """Take away what told how it went what the person did before, unless it is an error."""
        for told in self._untitled:
            if told.severity != "error":
                self._take_away(told)

    def _take_away(self, told: Notification) -> None:
        """Forget it, and take its whole row: Textual would leave an empty one."""
        self._unnotify(told, refresh=False)
        self.call_later(self._clear, f"#--textual-toast-{told.identity}")

    def _clear(self, row: str) -> None:
        for screen in self.screen_stack:
            screen.query(row).remove()

    @property
    def _untitled(self) -> list[Notification]:
        return [told for told in self._notifications if told.title in UNTITLED]
