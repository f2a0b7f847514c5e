"""A compositor that paints all that moved since it last laid out, and no other row.

Textual finds what moved by comparing each layout with the map it has of the widgets. But it makes
that map anew, too, when somebody asks for the place of a widget between two layouts: what moved
before is then in both maps, stays on the screen where it was, and hears nothing of its new size.
And for one row of a scrolled text it renders all of it that is to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual._compositor import Compositor, CompositorMap, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget


class FaithfulCompositor(Compositor):
    """A compositor that compares each layout with the last one, and renders what it paints."""

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}
        self._on_screen: dict[Widget, tuple[Region, Region]] = {}

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all widgets, and tell which appeared, went or have another size."""
        self._full_map = self._laid_out
        result = super().reflow(parent, size)
        self._laid_out, self._full_map_invalidated = self._full_map, False
        self._mark_moved()
        return result

    def reflow_visible(self, parent: Widget, size: Size) -> set[Widget]:
        """Lay out what is on the screen, and tell what was not before."""
        exposed = super().reflow_visible(parent, size)
        self._mark_moved()
        return exposed

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Have these painted where they are to be seen: of the others the next layout knows, for
        which alone Textual would lay out all of them once more.
        """
        super().update_widgets(widgets & self.visible_widgets.keys())

    def _mark_moved(self) -> None:
        """Have all painted whose place on the screen is another than in the last layout."""
        before, self._on_screen = self._on_screen, self.visible_widgets
        moved = before.items() ^ self._on_screen.items()
        places = (clip.intersection(region) for _, (region, clip) in moved)
        self._dirty_regions |= {place for place in places if place}  # of none Textual fails

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Yield the region of each widget, which part of the screen it may paint, and its strips
        there: of the crop's rows alone.
        """
        rows = self.size.region
        if crop is not None:
            rows = Region(0, crop.y, rows.width, crop.height)
        for widget, (region, clip) in self.visible_widgets.items():
            part = clip.intersection(rows)
            seen = region.intersection(part)
            if seen:
                yield region, part, widget.render_lines(seen.translate(-region.offset))
