"""For what stands in a chat: a size that a layout has given it asks for no further layout."""

from __future__ import annotations

from textual.geometry import Size
from textual.widget import Widget


class LaidOutOnce(Widget):
    """A widget whose inside follows from the layout that gave it its size; scroll bars that come or
    go ask for a layout themselves. It comes last among the bases (app/tui/widgets/tinted.py).

    Textual lays out once more wherever a size has changed: twice for each piece of an answer.
    """

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        return super()._size_updated(size, virtual_size, container_size, layout=False)
