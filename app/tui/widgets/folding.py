"""For what is long and mostly out of sight: it keeps its room, and nothing in it is laid out."""

from __future__ import annotations

from textual.geometry import Size, Spacing
from textual.layout import DockArrangeResult
from textual.widget import Widget

NOTHING = DockArrangeResult([], set(), Spacing())


class Folding(Widget):
    """A widget that can be folded. Whoever changes something in it that may change its height
    unfolds it before. It comes last among the bases (app/tui/widgets/tinted.py).
    """

    _folded: Size | None = None

    def is_on(self, rows: range) -> bool:
        """Whether any of it is on these rows of the screen."""
        region = self.region
        return region.bottom >= rows.start and region.y <= rows.stop

    def fold(self) -> None:
        """Keep the room that it takes, for as long as it is not to be seen.

        The layout of the screen goes through all that is in it, seen or not.
        """
        is_as_wide = self._folded is not None and self._folded.width == self.size.width
        if self.size.height and not is_as_wide:
            self._folded = self.size

    def unfold(self) -> None:
        """Lay it out again."""
        if self._folded is not None:
            self._folded = None
            self.refresh(layout=True)

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        """Arrange what is in it, nothing while it is folded."""
        if self._folded is not None and self._folded.width == size.width:
            return NOTHING
        return super().arrange(size, optimal)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height, while it is folded the one that it had."""
        if self._folded is not None and self._folded.width == width:
            return self._folded.height
        return super().get_content_height(container, viewport, width)
