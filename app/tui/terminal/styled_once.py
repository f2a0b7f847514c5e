"""A screen that is styled once, as it is mounted.

Textual's own is styled twice more as it opens: by the classes of the terminal's size, which it has
only later, and because it comes to the front.
"""

from __future__ import annotations

from typing import TypeVar

from textual.events import ScreenResume
from textual.screen import Screen

R = TypeVar("R")


class StyledOnce(Screen[R]):
    """The base of all screens; how much is on one may be much, and costs each time."""

    def on_compose(self) -> None:
        """Have the classes of the terminal's size before anything is mounted."""
        width, height = self.app.size
        for size, classes in (
            (width, self.HORIZONTAL_BREAKPOINTS),
            (height, self.VERTICAL_BREAKPOINTS),
        ):
            fitting = [each for each in classes or () if each[0] <= size]
            if fitting:
                self.set_class(True, max(fitting)[1], update=False)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Style nothing anew: all of it was when it was mounted, and is when the colours change."""
        event.refresh_styles = False
