"""The live panel of a narrow screen: the same figures on few lines, as many as fit.

Every figure has a width of its own, so that a line does not move when one of them grows.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.content import Content
from textual.reactive import var
from textual.widgets import Static

from app.bench.plots import bar_line
from app.tui.figures.figure_tips import meaning
from app.tui.figures.figures import NOT_USED, Figures
from app.tui.figures.pace import ceiling, sparkline
from app.tui.figures.panel_lines import swatch
from app.tui.tones import DIM, FAINT
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import BONUS, CORRECTED

GAP = "  "
STRETCHES = 12
PLACES = 8
CONTEXT_BAR = 6


class Strip(Static, Tinted):
    """The figures of the running answer, or of the last one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    DEFAULT_CSS = """
    Strip {
        height: 13vh;
        min-height: 2;
        max-height: 3;
        padding: 0 1;
        color: $foreground;
        text-wrap: nowrap;
    }
    """

    figures: var[Figures] = var(Figures)
    """What is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[list[Content]] = []

    def watch_figures(self) -> None:
        """Show other figures."""
        self._write()

    def on_resize(self) -> None:
        """Show more or fewer."""
        self._write()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what the figure under the mouse means."""
        inside = event.get_content_offset(self)
        parts = [] if inside is None else dict(enumerate(self._lines)).get(inside.y, [])
        self.tooltip = None if inside is None else _tip(parts, inside.x)

    async def on_click(self, event: events.Click) -> None:
        """Show how the answer came about."""
        event.stop()
        await self.run_action("screen.act('inspect')")

    def _write(self) -> None:
        width = self.content_size.width
        lines = [_speed(self.figures), _who(self.figures, width), _course(self.figures)]
        self._lines = lines
        self.update(Content("\n").join([fitted(parts, width) for parts in lines]), layout=False)


def fitted(parts: list[Content], width: int) -> Content:
    """Join as many parts as have room, first things first."""
    line = Content("")
    for part in parts:
        longer = part if not line else Content(GAP).join([line, part])
        if longer.cell_length > width:
            break
        line = longer
    return line


def _tip(parts: list[Content], column: int) -> str | None:
    """Return what is to be known of the part in this column."""
    for part in parts:
        if column < part.cell_length + len(GAP):
            return meaning(part.plain, column)
        column -= part.cell_length + len(GAP)
    return None


def _speed(figures: Figures) -> list[Content]:
    gain = "bold $success" if figures.pays else "bold"
    return [
        Content.assemble((f"{figures.tokens_per_s:>5}", "bold $primary"), (" tok/s", DIM)),
        Content.assemble((f"{figures.speedup:>5}", gain), (" plain", DIM)),
        _pair("accept", f"{figures.acceptance_rate:>5}"),
        _pair("length", f"{figures.acceptance_length:>4}"),
        _pair("draft", f"{figures.draft_length:>5}"),
        _pair("TTFT", f"{figures.ttft:>6}"),
    ]


def _who(figures: Figures, width: int) -> list[Content]:
    context = _pair("context", figures.context)
    off = figures.off
    if off is not None:
        room = max(0, width - context.cell_length - len(GAP))
        return [context, Content.styled(off, "$warning").truncate(room, ellipsis=True)]
    if figures.ready is None:
        return []
    swatches = [swatch(name) for name in (*figures.names, CORRECTED, BONUS)]
    full, empty = figures.bar(CONTEXT_BAR)
    style = "$primary" if figures.few_left is None else "$warning"
    bar = Content.assemble((full, style), (empty, FAINT))
    last = bar if figures.verify is None else _pair("verify", figures.verify)
    width_of_context = 2 * len(str(figures.ready.n_ctx)) + len(" / ")
    context = _pair("context", f"{figures.context:>{width_of_context}}")
    legend = Content(" ").join([*swatches, Content("plain")])
    if figures.refused is None:
        parts, fewer = [legend, context], [context, *swatches]
    else:
        last = Content.styled(NOT_USED, "$warning")
        parts, fewer = [legend, context, last], [context]
    has_room = sum(part.cell_length + len(GAP) for part in parts) <= width + len(GAP)
    return [legend, context, last] if has_room else [*fewer, last]


def _course(figures: Figures) -> list[Content]:
    """Return how the answer went: speed, acceptance, places of a draft; then what is left."""
    rates = figures.pace.rates
    top = ceiling(rates)
    parts = [_line("tok/s", sparkline(rates[-STRETCHES:], top), STRETCHES, "$primary")]
    if figures.off is None:
        went = sparkline(figures.pace.acceptances[-STRETCHES:], 1.0)
        places = bar_line([share for share, _ in figures.places[:PLACES]])
        parts += [
            _line("accept", went, STRETCHES, "$success"),
            _line("by place", places, PLACES, "$success"),
        ]
    if figures.few_left is not None:
        parts.append(Content.styled(f"room for {figures.few_left}", "bold $warning"))
    if figures.near_ties is not None:
        parts.append(_pair("near-ties", figures.near_ties))
    if figures.memory is not None:
        parts.append(_pair("memory", figures.memory))
    return parts


def _line(name: str, line: str, width: int, style: str) -> Content:
    dots = "·" * (width - len(line))
    return Content.assemble((f"{name} ", DIM), (line, style), (dots, FAINT))


def _pair(name: str, value: str) -> Content:
    return Content.assemble((f"{name} ", DIM), (value, "bold"))
