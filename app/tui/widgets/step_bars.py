"""An answer's steps as bars, one column each: how many tokens every step made, and where one is.

Only the page of steps that has room is drawn. A click chooses a step.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.content import Span as StyleSpan
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from app.bench.plots import bar_line
from app.tui.figures.xray import Xray
from app.tui.tones import DIM

LEAST_TOP = 4
MARK = "▲"
BARS_ROW = 1
REJECTED = "underline $warning"


class StepBars(Static):
    """Three lines: what the bars are, the bars, and a mark under the current one."""

    DEFAULT_CSS = """
    StepBars { height: 3; padding: 0 1; text-wrap: nowrap; }
    """

    current: reactive[int] = reactive(0, layout=False)
    """The index of the step at hand."""

    @dataclass
    class Chosen(Message):
        """A step was clicked."""

        index: int

    def __init__(self, xray: Xray) -> None:
        super().__init__(markup=False)
        self._xray = xray
        self._top = max([LEAST_TOP, *xray.tokens])

    def watch_current(self) -> None:
        """Show the page of another step."""
        self._write()

    def on_resize(self) -> None:
        """Show more or fewer steps."""
        self._write()

    @property
    def shown(self) -> range:
        """The steps on this page."""
        width = max(1, self.content_size.width)
        start = self.current // width * width
        return range(start, min(start + width, len(self._xray.steps)))

    def on_click(self, event: events.Click) -> None:
        """Choose the step under the mouse."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y >= BARS_ROW and offset.x < len(self.shown):
            self.post_message(self.Chosen(self.shown[offset.x]))

    def _write(self) -> None:
        page = self.shown
        if not page:
            return
        tokens, rejected = self._xray.tokens, self._xray.rejected
        line = bar_line([tokens[step] / self._top for step in page])
        here = self.current - page.start
        styles = [
            StyleSpan(at, at + 1, REJECTED if rejected[step] else "$primary")
            for at, step in enumerate(page)
        ]
        styles.append(StyleSpan(here, here + 1, "bold $foreground"))
        mark = Content.styled(" " * here + MARK, "bold")
        self.update(Content("\n").join([self._legend(page), Content(line, styles), mark]))

    def _legend(self, page: range) -> Content:
        width = self.content_size.width
        which = f"steps {page.start + 1} to {page.stop}"
        legend = Content.assemble(
            ("tokens per step, ", DIM),
            (f"{max(self._xray.tokens)} at most; ", DIM),
            ("with a rejection", REJECTED),
        ).truncate(max(0, width - len(which) - 1), ellipsis=True)
        gap = " " * max(1, width - legend.cell_length - len(which))
        return Content.assemble(legend, gap, (which, DIM))
