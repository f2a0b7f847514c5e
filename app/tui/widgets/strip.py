"""The live panel of a narrow screen: the same figures on two lines, as many as fit."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from app.sanitise import one_line
from app.tui.figures import Figures
from app.tui.origins import label, style_of
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import BONUS, CORRECTED

GAP = "  "


class Strip(Static, Tinted):
    """The figures of the running answer, or of the last one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    DEFAULT_CSS = """
    Strip { height: 2; padding: 0 1; color: $foreground; }
    """

    figures: reactive[Figures] = reactive(Figures, layout=False)
    """What is shown."""

    def watch_figures(self) -> None:
        """Show other figures."""
        self._write()

    def on_resize(self) -> None:
        """Show more or fewer."""
        self._write()

    def _write(self) -> None:
        width = self.content_size.width
        self.update(
            Content("\n").join(
                [fitted(_speed(self.figures), width), fitted(_who(self.figures, width), width)]
            )
        )


def fitted(parts: list[Content], width: int) -> Content:
    """Join as many parts as have room, first things first."""
    line = Content("")
    for part in parts:
        longer = part if not line else Content(GAP).join([line, part])
        if longer.cell_length > width:
            break
        line = longer
    return line


def _speed(figures: Figures) -> list[Content]:
    gain = "bold $success" if figures.pays else "bold"
    return [
        Content.assemble((figures.tokens_per_s, "bold $primary"), (" tok/s", "$foreground 60%")),
        Content.assemble((figures.speedup, gain), (" plain", "$foreground 60%")),
        _pair("accept", figures.acceptance_rate),
        _pair("length", figures.acceptance_length),
        _pair("draft", figures.draft_length),
        _pair("TTFT", figures.ttft),
    ]


def _who(figures: Figures, width: int) -> list[Content]:
    context = _pair("context", figures.context)
    off = figures.off
    if off is not None:
        room = max(0, width - context.cell_length - len(GAP))
        return [context, Content.styled(off, "$warning").truncate(room, ellipsis=True)]
    if figures.ready is None:
        return []
    swatches = [
        Content.styled(f" {one_line(label(name))} ", f".{style_of(name)}")
        for name in (*figures.ready.drafters, CORRECTED, BONUS)
    ]
    full, empty = figures.bar(8)
    bar = Content.assemble((full, "$primary"), (empty, "$foreground 20%"))
    last = bar if figures.verify is None else _pair("verify", figures.verify)
    return [Content(" ").join([*swatches, Content("plain")]), context, last]


def _pair(name: str, value: str) -> Content:
    return Content.assemble((f"{name} ", "$foreground 60%"), (value, "bold"))
