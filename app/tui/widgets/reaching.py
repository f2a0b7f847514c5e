"""A text that is scrolled to some part of it, though what is far from sight is not laid out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from textual.containers import VerticalScroll
from textual.widget import Widget

MARKED_S = 3.0
"""So long a part that was found is marked, from when it is in place."""
REACHING = 10
"""So often a part is scrolled to, with a refresh between, once it is laid out."""
FOUND = "-found"


@dataclass(slots=True, eq=False)
class _Goal:
    part: Widget
    is_found: bool
    tries: int = REACHING
    near: Widget | None = None
    """What was scrolled to: the smallest around the part that was laid out."""


class Reaching(VerticalScroll):
    """The base of the transcript."""

    _goal: _Goal | None = None

    def point_at(self, part: Widget) -> None:
        """Scroll to a part of a turn, and mark it for a moment."""
        self.release_anchor()
        part.add_class(FOUND)
        self._aim(_Goal(part, is_found=True))

    def bring(self, part: Widget) -> None:
        """Scroll as little as a part needs to be seen, or its beginning."""
        self._aim(_Goal(part, is_found=False))

    def scroll_by(self, lines: float) -> None:
        """Scroll as the reader wants it."""
        self.give_up()
        self.shift(lines)

    def shift(self, lines: float) -> None:
        """Scroll, unless there is no more there: that would end following."""
        left = self.max_scroll_y - self.scroll_y if lines > 0 else self.scroll_y
        if left > 0:
            self.scroll_to(y=self.scroll_y + lines, animate=False, immediate=True)

    @property
    def is_reaching(self) -> bool:
        """Whether it scrolls to a part still."""
        return self._goal is not None

    def row_of(self, part: Widget) -> int:
        """Return on which row of all that scrolls a part is."""
        within = takewhile(lambda each: each is not self, part.ancestors_with_self)
        return sum(each.virtual_region.y for each in within if isinstance(each, Widget))

    def give_up(self) -> None:
        """Scroll no further to a part: the reader goes elsewhere."""
        if (goal := self._goal) is not None:
            self._goal = None
            if goal.is_found:
                self._mark_until_later(goal.part)

    def reach_on(self) -> None:
        """Go on to a part that had no place yet; to be called when all is laid out anew."""
        goal = self._goal
        if goal is not None and goal.near is not goal.part:
            self._reach(goal)

    def _aim(self, goal: _Goal) -> None:
        self.give_up()
        self._goal = goal
        self.call_after_refresh(self._reach, goal)

    def _reach(self, goal: _Goal) -> None:
        """Scroll to where it is, and again: what is far from sight is laid out when it is near."""
        if goal is not self._goal or not goal.part.is_attached:
            return
        around = (each for each in goal.part.ancestors_with_self if isinstance(each, Widget))
        near = next(each for each in around if each.region)
        if near is goal.part or near is not goal.near:
            self.scroll_to_widget(near, animate=False, center=goal.is_found, immediate=True)
        goal.near = near
        if near is not goal.part:
            return  # the next layout may have a place for it
        goal.tries -= 1
        if goal.tries:
            self.call_after_refresh(self._reach, goal)
        else:
            self.give_up()

    def _mark_until_later(self, part: Widget) -> None:
        self.set_timer(MARKED_S, lambda: part.remove_class(FOUND))
