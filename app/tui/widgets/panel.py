"""The live panel of a wide screen: how fast, how much faster than plain, and why."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import var
from textual.widgets import Digits, Static

from app.tui.figures.figure_tips import meaning
from app.tui.figures.figures import UNKNOWN, Figures
from app.tui.figures.panel_lines import blocks, laid_out
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted

TOP = "tokens/s"
SPEED_ROWS = 4
"""Of the panel, for the label and the big digits."""


class Panel(Vertical, Tinted):
    """The figures of the running answer, or of the last one; a low panel shows the first things."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    DEFAULT_CSS = """
    Panel {
        width: 31;
        padding: 1 2 0 2;
        border-left: solid $panel;
        overflow: hidden;
        .panel--label { color: $foreground-muted; height: 1; }
        Digits { color: $primary; text-style: bold; width: 1fr; }
        .panel--below { height: 1fr; text-wrap: nowrap; }
    }
    """

    figures: var[Figures] = var(Figures)
    """What is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._speed, self._text = Digits(UNKNOWN), Content()
        self._below = Static(classes="panel--below", markup=False)

    def compose(self) -> ComposeResult:
        """Lay the figures out."""
        yield Static(TOP, classes="panel--label")
        yield self._speed
        yield self._below

    def on_mount(self) -> None:
        """Show what is known before anything is loaded."""
        self._write()

    def watch_figures(self) -> None:
        """Show other figures."""
        if self.is_mounted:
            self._write()

    def on_resize(self) -> None:
        """Show more or fewer."""
        self._write()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what the figure under the mouse means."""
        shown = self._below.region
        x, y = event.screen_x - shown.x, event.screen_y - shown.y
        lines = self._text.plain.split("\n")
        line = TOP if y < 0 else lines[y] if y < len(lines) else ""
        self.tooltip = meaning(line, x)

    async def on_click(self, event: events.Click) -> None:
        """Show how the answer came about."""
        event.stop()
        await self.run_action("screen.act('inspect')")

    def _write(self) -> None:
        self._speed.update(self.figures.tokens_per_s)
        room = max(0, self.content_size.height - SPEED_ROWS)
        self._text = laid_out(blocks(self.figures), room)
        self._below.update(self._text, layout=False)
