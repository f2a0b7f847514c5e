"""All that a transcript shows, as long as it is there."""

from __future__ import annotations

from textual.containers import Vertical
from textual.widget import AwaitMount, Widget

from app.tui.widgets.laid_out_once import LaidOutOnce


class Page(Vertical, LaidOutOnce):
    """Turns and notes; nothing more once it is taken away, with its chat or with the app."""

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
