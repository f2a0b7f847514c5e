"""A text that is scrolled to some part of it, though what is far from sight is not laid out."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.widget import Widget

MARKED_S = 3.0
REACHING = 10
"""So often a part is scrolled to, with a refresh between."""


class Reaching(VerticalScroll):
    """The base of the transcript."""

    def point_at(self, part: Widget) -> None:
        """Scroll to a part of a turn, and mark it for a moment."""
        self.release_anchor()
        part.add_class("-found")
        self.set_timer(MARKED_S, lambda: part.remove_class("-found"))
        self.call_after_refresh(self._reach, part, center=True)

    def bring(self, part: Widget) -> None:
        """Scroll as little as a part needs to be seen, or its beginning."""
        self.call_after_refresh(self._reach, part)

    def _reach(self, part: Widget, tries: int = REACHING, center: bool = False) -> None:
        """Scroll to where it is, and again: what is far from sight is laid out when it is near."""
        if not part.is_attached:  # it has been taken away meanwhile
            return
        ancestors = [each for each in part.ancestors_with_self if isinstance(each, Widget)]
        if part.region or tries == REACHING:
            near = next(each for each in ancestors if each.region)
            self.scroll_to_widget(near, animate=False, center=center)
        if tries:
            self.call_after_refresh(self._reach, part, tries - 1, center)
