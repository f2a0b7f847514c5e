"""An app that knows of a key as soon as it came.

Until a key is where it does something it goes through several turns of the app's loop. Who looks
here before doing what takes long does not hold it up meanwhile.
"""

from __future__ import annotations

from collections.abc import Coroutine
from time import perf_counter
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message


class KeyWatch(App[None]):
    """The base of such an app."""

    last_key_at = float("-inf")
    """When the last key came that is still on its way to a widget, by `perf_counter`."""
    last_input_at = float("-inf")
    """When the person did anything last."""

    def _post_message(self, message: Message) -> Coroutine[Any, Any, bool]:
        """Take in what the terminal sent, called in the thread that reads it."""
        if isinstance(message, events.Key):
            self.last_key_at = perf_counter()
        if isinstance(message, events.InputEvent | events.Paste):
            self.last_input_at = perf_counter()
        return super()._post_message(message)

    async def on_event(self, event: events.Event) -> None:
        """Pass an event on, or do what it does wherever it is pressed."""
        await super().on_event(event)
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.last_key_at = float("-inf")
