"""All that a transcript shows, as long as it is there."""

from __future__ import annotations

from textual.containers import Vertical
from textual.geometry import Size
from textual.layout import DockArrangeResult
from textual.widget import AwaitMount, Widget

from app.tui.widgets.laid_out_once import LaidOutOnce


class Page(Vertical, LaidOutOnce):
    """Turns and notes; nothing more once it is taken away, with its chat or with the app."""

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        """Arrange all below each other, for which the width alone counts: Textual keeps sizes by
        what they are in, and works all of them out anew when that has grown by a line.
        """
        return super().arrange(Size(size.width, self.app.size.height), optimal)

    def mount(
        self,
        *widgets: Widget,
        before: int | str | Widget | None = None,
        after: int | str | Widget | None = None,
    ) -> AwaitMount:
        """Mount widgets, unless it is gone by now."""
        if not self.is_attached:
            return AwaitMount(self, [])
        return super().mount(*widgets, before=before, after=after)
