"""The live panel of a wide screen: how fast, how much faster than plain, and why."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Digits, Static

from app.sanitise import one_line
from app.tui.figures import UNKNOWN, Figures
from app.tui.origins import label, style_of
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import BONUS, CORRECTED

WIDTH = 26


class Panel(Vertical, Tinted):
    """The figures of the running answer, or of the last one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES
    DEFAULT_CSS = """
    Panel {
        width: 31;
        padding: 1 2 0 2;
        border-left: solid $panel;
        overflow: hidden;
        .panel--label { color: $foreground 60%; }
        Digits { color: $primary; text-style: bold; width: 1fr; }
        .panel--speedup { margin-bottom: 1; }
        .panel--rows { margin-bottom: 1; }
    }
    """

    figures: reactive[Figures] = reactive(Figures)
    """What is shown."""

    def compose(self) -> ComposeResult:
        """Lay the figures out."""
        yield Static("tokens/s", classes="panel--label")
        yield Digits(UNKNOWN)
        yield Static(classes="panel--speedup")
        yield Static(classes="panel--rows")
        yield Static(classes="panel--origins")

    def watch_figures(self, figures: Figures) -> None:
        """Show other figures."""
        if not self.is_mounted:
            return
        self.query_one(Digits).update(figures.tokens_per_s)
        self.query_one(".panel--speedup", Static).update(_speedup(figures))
        self.query_one(".panel--rows", Static).update(_rows(figures))
        self.query_one(".panel--origins", Static).update(_origins(figures))

    def on_mount(self) -> None:
        """Show what is known before anything is loaded."""
        self.watch_figures(self.figures)


def _speedup(figures: Figures) -> Content:
    style = "bold $success" if figures.pays else "bold"
    return Content.assemble((figures.speedup, style), ("  plain decoding", "$foreground 60%"))


def _rows(figures: Figures) -> Content:
    rows = [
        ("acceptance rate", figures.acceptance_rate),
        ("acceptance length", figures.acceptance_length),
        ("draft length", figures.draft_length),
        ("first token", figures.ttft),
        ("context", figures.context),
    ]
    full, empty = figures.bar(WIDTH)
    lines = [_row(name, Content.styled(value, "bold")) for name, value in rows]
    bar = Content.assemble((full, "$primary"), (empty, "$foreground 20%"))
    return Content("\n").join([*lines, bar])


def _origins(figures: Figures) -> Content:
    """Return the legend, with each drafter's share; or why there is none."""
    off = figures.off
    if off is not None:
        return Content.styled(off, "$warning")
    if figures.ready is None:
        return Content("")
    drafters = figures.ready.drafters
    lines = [Content.styled("drafter", "$foreground 60%")]
    lines += [_row(_swatch(name), Content(figures.share(name))) for name in drafters]
    if figures.verify is not None:
        lines.append(_row("verify", Content(figures.verify)))
    lines += [Content(""), Content.styled("target", "$foreground 60%")]
    lines += [Content(" ").join([_swatch(CORRECTED), _swatch(BONUS), Content("plain")])]
    return Content("\n").join(lines)


def _swatch(origin: str) -> Content:
    return Content.styled(f" {one_line(label(origin))} ", f".{style_of(origin)}")


def _row(name: str | Content, value: Content) -> Content:
    name = Content.styled(name, "$foreground 60%") if isinstance(name, str) else name
    gap = max(1, WIDTH - name.cell_length - value.cell_length)
    return Content.assemble(name, " " * gap, value)
