"""An app in which a key acts on what was typed before it.

A key with priority, as Enter is where a list stands below a field, acts as soon as the app has it,
and letters before it may still be on their way: a terminal sends both at once over a slow line, and
whoever types fast does nearly so. Here it waits until they are where they go.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import takewhile
from time import perf_counter

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

TYPED_S = 0.1
"""For how long what was typed may be on its way."""
LONGEST_S = 0.5
"""A field that is at something longer is not waited for."""


class KeyOrder(App[None]):
    """The base of such an app."""

    _typed_at = float("-inf")

    async def on_event(self, event: events.Event) -> None:
        """Pass an event on, or do what it does wherever it is pressed."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            is_letter = isinstance(event, events.Paste) or event.is_printable
            if not is_letter and perf_counter() < self._typed_at + TYPED_S:
                await self._have_taken_in()
            self._typed_at = perf_counter()
        await super().on_event(event)

    async def _have_taken_in(self) -> None:
        """Return when the field that is typed in, and what holds it, has all that came before."""
        field = self.focused
        if isinstance(field, Input | TextArea):
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_S):
                    for node in (field, field, *_holding(field)):  # a field tells itself first
                        await _reached(node)


def _holding(field: Widget) -> list[DOMNode]:
    """Return what a field tells that its text is another: what holds it, up to the screen."""
    within = takewhile(lambda node: not isinstance(node, Screen), field.ancestors)
    return [*within, field.screen]


async def _reached(node: DOMNode) -> None:
    """Return when a node has taken in what waits for it."""
    reached = asyncio.Event()
    if node.call_later(reached.set):
        await reached.wait()
