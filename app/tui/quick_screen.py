"""A screen that lets the keys in between its layout and its painting, while somebody types.

Where an answer streams, both together can take longer than a letter may. What is laid out is then
painted a little later and, where painting is slow, in bands from the top to the bottom; a letter
that came meanwhile is on the screen before (app/tui/widgets/quick_text_area.py).
"""

from __future__ import annotations

from time import perf_counter

from textual.geometry import Size
from textual.screen import Screen

from app.tui.compositor import FaithfulCompositor
from app.tui.widgets.quick_text_area import QuickTextArea

TYPED_S = 2.0
"""For how long after a letter another one may come at any time."""
KEYS_S = 0.004
"""How long keys are waited for between two bands."""
BAND_S, FEWEST_ROWS = 0.012, 4
"""How long painting one band may take, and how few rows it has at least."""
ROW_S, WEIGHT = 0.0005, 0.2
"""How long one row takes, before it was measured; and what one band counts in the mean."""


class QuickScreen(Screen[None]):
    """The base of a screen with a `QuickTextArea` below something that grows."""

    _is_laying_out = False
    _is_waiting = False
    _row_s = ROW_S

    def __init__(self) -> None:
        super().__init__()
        self._compositor = FaithfulCompositor()

    @property
    def is_typed_in(self) -> bool:
        """Whether somebody has just typed, and may go on."""
        field = self.focused
        return isinstance(field, QuickTextArea) and perf_counter() < field.typed_at + TYPED_S

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._is_laying_out = True
        super()._refresh_layout(size, scroll)
        self._is_laying_out = False

    def _compositor_refresh(self) -> None:
        if self.app._batch_count:  # nothing would be shown
            self._paint_later()
            return
        if not self.is_typed_in or self.app.is_inline or self is not self.app.screen:
            super()._compositor_refresh()
        elif self._is_laying_out:
            self._paint_later()
        else:
            self._paint_band()

    def _paint_later(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            self.set_timer(KEYS_S, self._paint_next)

    def _paint_next(self) -> None:
        self._is_waiting = False
        if self.app._batch_count:  # nothing would be shown
            self._paint_later()
        else:
            self._compositor.update_widgets(self._dirty_widgets)  # they count as painted then
            self._compositor_refresh()

    def _paint_band(self) -> None:
        """Paint the topmost rows of what is to be painted, and the others later."""
        compositor, started = self._compositor, perf_counter()
        regions = [r.intersection(self.app.size.region) for r in compositor._dirty_regions]
        regions = [region for region in regions if region]
        top = min((region.y for region in regions), default=0)
        cut = top + max(FEWEST_ROWS, int(BAND_S / self._row_s))
        halves = [r.split_horizontal(min(max(cut - r.y, 0), r.height)) for r in regions]
        compositor._dirty_regions = {above for above, _ in halves if above}
        n_rows = max((region.bottom for region in compositor._dirty_regions), default=top) - top
        super()._compositor_refresh()
        if n_rows >= FEWEST_ROWS:
            self._row_s += WEIGHT * ((perf_counter() - started) / n_rows - self._row_s)
        below = {below for _, below in halves if below}
        compositor._dirty_regions |= below
        if below:
            self._paint_later()
