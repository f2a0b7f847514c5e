"""A screen that lets the keys in between its layout and its painting, while somebody types.

Where an answer streams, both together can take longer than a letter may. What is laid out is then
painted a little later and, where painting is slow, in bands from the top to the bottom; a letter
that came meanwhile is on the screen before (app/tui/widgets/quick_text_area.py). Neither begins
while a key is on its way to the field.
"""

from __future__ import annotations

from time import perf_counter

from textual.geometry import Size
from textual.messages import Layout

from app.tui.terminal.compositor import FaithfulCompositor
from app.tui.terminal.key_watch import KeyWatch
from app.tui.terminal.styled_once import StyledOnce
from app.tui.widgets.quick_text_area import QuickTextArea

TYPED_S = 2.0
"""For how long after a letter another one may come at any time."""
DUE_S = 0.1
"""For how long a key may be on its way to the field."""
KEYS_S = 0.004
"""How long keys are waited for between two bands."""
BAND_S, STRIPE = 0.01, 3
"""After how long a band ends, and how many of its rows are painted at once: what was never painted
costs many times what is painted again, and nobody knows before which it is.
"""


class QuickScreen(StyledOnce[None]):
    """The base of a screen with a `QuickTextArea` below something that grows."""

    _is_laying_out = False
    _is_waiting = False

    def __init__(self) -> None:
        super().__init__()
        self._compositor = FaithfulCompositor()

    @property
    def is_typed_in(self) -> bool:
        """Whether somebody has just typed, and may go on."""
        field = self.focused
        return isinstance(field, QuickTextArea) and perf_counter() < field.typed_at + TYPED_S

    @property
    def _is_key_due(self) -> bool:
        """Whether a key came that the field does not have yet."""
        app, field = self.app, self.focused
        if not isinstance(app, KeyWatch) or not isinstance(field, QuickTextArea):
            return False
        return field.last_key_at < app.last_key_at and perf_counter() < app.last_key_at + DUE_S

    async def _on_layout(self, message: Layout) -> None:
        """Lay nothing out for what is within something that is not displayed, and is gone from the
        screen: what has just been hidden may have a scrollbar's message in the place of its own.
        """
        hidden = [above for above in message.widget.ancestors if not above.display]
        if hidden and self._compositor.widgets.isdisjoint(hidden):
            message.stop()
            message.prevent_default()

    def _on_timer_update(self) -> None:
        """Lay out and paint what waits for it, unless a key does, or a batch, which may be another
        screen's and not prompt this one at its end; then at the timer's next turn.
        """
        if not self._is_key_due and not self.app._batch_count:
            super()._on_timer_update()

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
        if self.app._batch_count or self._is_key_due:
            self._paint_later()
        else:
            self._compositor.update_widgets(self._dirty_widgets)  # they count as painted then
            self._compositor_refresh()

    def _paint_band(self) -> None:
        """Paint the topmost rows of what is to be painted, and the others later."""
        until = perf_counter() + BAND_S
        is_rest = self._paint_stripe()
        while is_rest and perf_counter() < until and not self._is_key_due:
            is_rest = self._paint_stripe()
        if is_rest:
            self._paint_later()

    def _paint_stripe(self) -> bool:
        """Paint the topmost rows, and tell whether there are others."""
        compositor = self._compositor
        regions = [r.intersection(self.app.size.region) for r in compositor._dirty_regions]
        regions = [region for region in regions if region]
        cut = min((region.y for region in regions), default=0) + STRIPE
        halves = [r.split_horizontal(min(max(cut - r.y, 0), r.height)) for r in regions]
        compositor._dirty_regions = {above for above, _ in halves if above}
        super()._compositor_refresh()
        below = {below for _, below in halves if below}
        compositor._dirty_regions |= below
        return bool(below)
