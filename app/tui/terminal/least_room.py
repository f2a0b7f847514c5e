"""A terminal of a few columns, as while the edge of a pane is dragged, is drawn for as if it had
more: Textual breaks lines of no columns, and ends with it.
"""

from __future__ import annotations

from textual import events
from textual.app import App
from textual.geometry import Size

COLUMNS = 12
"""What is laid out at least."""


class RoomyApp(App[None]):
    """An app that survives any width. What has no room runs over, until there is more."""

    async def _on_resize(self, event: events.Resize) -> None:
        event.size = Size(max(COLUMNS, event.size.width), event.size.height)
