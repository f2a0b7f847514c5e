"""What becomes of a painted line where the colours are not ours to choose.

With the terminal's own colours, and with none (NO_COLOR), nobody knows what can be read on a
coloured ground. So a ground other than the terminal's own is painted in reverse: the highlighted
row, what is selected, a chosen button. Pure; it works on segments.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

REVERSED = Style.parse("default on default reverse not dim")
COLOURLESS = Style.parse("default on default")


class Grounds(LineFilter):
    """Paint what has a ground of its own in reverse, without colours."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments as they are to be painted."""
        return [Segment(text, _reversed(style)) for text, style, _ in segments]


class Colourless(LineFilter):
    """Paint without colours; apply `Grounds` before."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments as they are to be painted."""
        return [Segment(text, style and style + COLOURLESS) for text, style, _ in segments]


@lru_cache(1024)
def _reversed(style: Style | None) -> Style | None:
    if style is None or style.bgcolor is None or style.bgcolor.is_default:
        return style
    return style + REVERSED
