"""What toasts have said, however soon they went: a slow machine is not to miss a brief one."""

from __future__ import annotations

from typing import Self

from textual.app import App
from textual.notifications import Notification, Notifications


class Toasted(Notifications):
    """An app's toasts. told: those that nothing but time has taken away."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Notification] = []

    def add(self, notification: Notification) -> Self:
        self.told.append(notification)
        return super().add(notification)

    def clear(self) -> Self:
        self.told.clear()
        return super().clear()

    def __delitem__(self, notification: Notification) -> None:
        if notification in self.told and not notification.has_expired:
            self.told.remove(notification)
        super().__delitem__(notification)

    def says(self, text: str) -> bool:
        """Whether a toast says so, or has said so and was not taken away before its time."""
        return any(text in f"{note.title} {note.message}" for note in self.told)


def remembered(app: App[None]) -> Toasted:
    """Let an app remember its toasts, from those it shows now on."""
    toasted = Toasted()
    for note in app._notifications:
        toasted.add(note)
    app._notifications = toasted
    return toasted
