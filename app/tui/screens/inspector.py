"""The token X-ray: an answer step by step, with what was drafted, accepted, rejected and said.

It shows a finished trace and changes nothing. Only what is on the screen is rendered, so an answer
of thousands of steps is no slower to look at than one of ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from app.chat.summary import NOT_WORTH_IT, NOTHING
from app.history.steps import MOST_ANSWERS
from app.sizes import counted
from app.terminal.sanitise import one_line
from app.tui.figures.xray import Xray, rows
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.screen_footer import ScreenFooter
from app.tui.widgets.step_bars import StepBars
from app.tui.widgets.step_view import StepCost, StepTable, StepView, TextSoFar
from app.tui.widgets.strip import fitted
from app.tui.widgets.tinted import GUESSES
from engine import TracedStep

WIDE = 110
ROOM_FOR_BARS, ROOM_FOR_TEXT = 14, 19
"""Rows from which on the steps are shown as bars, and from which on the text has what is left."""
TEN = 10
NO_TRACE = (
    f"The steps of this answer are not kept. They are kept of the last {MOST_ANSWERS} answers that "
    "were made here; not of one from a file or from an earlier version, of one that a crash cut "
    "off, or of one with many thousand steps."
)
NO_REJECTION = "No draft was rejected after this step."

_STEP = Binding.Group("Step")
_TEN = Binding.Group("Ten")
_ENDS = Binding.Group("Ends")


class Inspector(ViKeys, LeftOnce[None]):
    """Steps through an answer. title: what the answer is called, its question for instance.

    nothing: said of every step where none drafted.
    """

    CSS_PATH = ["inspector.tcss", "origins.tcss"]  # noqa: RUF012 (as in the base)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 (as in the base)
        (0, "-lowest"),
        (ROOM_FOR_BARS, "-low"),
        (ROOM_FOR_TEXT, "-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Back a step", key_display="←", group=_STEP),
        Binding("right", "step(1)", "On a step", key_display="→", group=_STEP),
        bound("inspector-back", "step(-1)", show=False),
        bound("inspector-on", "step(1)", show=False),
        bound("inspector-rejection", "rejection"),
        Binding("pageup", f"step(-{TEN})", "Back ten", key_display="PgUp", group=_TEN),
        Binding("pagedown", f"step({TEN})", "On ten", key_display="PgDn", group=_TEN),
        Binding("home", "first", "First step", key_display="Home", group=_ENDS),
        Binding("end", "last", "Last step", key_display="End", group=_ENDS),
        Binding("escape", "back", "Back", key_display="Esc", priority=True),
        Binding("up", "scroll_table(-1)", "Scroll up", show=False),
        Binding("down", "scroll_table(1)", "Scroll down", show=False),
    ]

    current: reactive[int] = reactive(0)
    """The index of the step at hand."""

    def __init__(self, steps: Sequence[TracedStep], title: str, nothing: str = NOTHING) -> None:
        super().__init__()
        self.set_class(True, GUESSES, update=False)  # later, all that is mounted is styled anew
        self._xray = Xray(steps)
        self._nothing = NOT_WORTH_IT if self._xray.totals.drafted else nothing
        self._called = one_line(title)
        self._head = Static(id="head", markup=False)
        self._about = Static(id="about", markup=False)
        self._bars = StepBars(self._xray)
        self._totals = Static(id="totals", markup=False)
        self._table = VerticalScroll(StepTable(self._xray), id="table", can_focus=False)

    def compose(self) -> ComposeResult:
        """Text and step, then bars and totals."""
        yield self._head
        if not self._xray.steps:
            yield Static(NO_TRACE, id="no-trace", markup=False)
            yield ScreenFooter()
            return
        with Container(id="body"):
            yield TextSoFar(self._xray)
            with Vertical(id="step"):
                yield self._about
                yield StepCost(self._xray)
                yield self._table
        yield self._bars
        yield self._totals
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Show the first step."""
        self._write()

    def on_resize(self) -> None:
        """Fit the lines to the width, as it is once the wide screen's margins hold."""
        self.call_after_refresh(self._write)

    # what is shown

    def validate_current(self, current: int) -> int:
        """Stay within the answer."""
        return max(0, min(current, len(self._xray.steps) - 1))

    def watch_current(self, current: int) -> None:
        """Show another step."""
        if not self.is_mounted:
            return
        for view in self.query(StepView):
            view.current = current
        self._bars.current = current
        self._table.scroll_home(animate=False)
        self._write()

    def _write(self) -> None:
        width = self._head.content_size.width
        n = len(self._xray.steps)
        where = f"step {self.current + 1:>{len(str(n))}} of {n}" if n else ""
        name = Content.styled("Inspector", "bold $primary")
        room = max(0, width - name.cell_length - len(where) - 4)
        title = Content.styled(self._called, DIM).truncate(room, ellipsis=True)
        gap = " " * max(2, room + 2 - title.cell_length)
        self._head.update(Content.assemble(name, "  ", title, gap, (where, "bold")))
        if n:
            self._about.update(_about(self._xray, self.current, self._nothing))
            self._totals.update(_totals(self._xray, width))

    # what the person does

    def action_step(self, by: int) -> None:
        """Go some steps on, or back."""
        self.current += by

    def action_first(self) -> None:
        """Go to where the answer begins."""
        self.current = 0

    def action_last(self) -> None:
        """Go to where it ends."""
        self.current = len(self._xray.steps) - 1

    def action_rejection(self) -> None:
        """Go to the next step whose draft was disagreed with."""
        found = self._xray.next_rejection(self.current)
        if found is None:
            self.notify(NO_REJECTION, timeout=2)
        else:
            self.current = found

    def action_scroll_table(self, by: int) -> None:
        """Show more of a long draft."""
        self._table.scroll_relative(y=by, animate=False, immediate=True)

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)

    @on(StepBars.Chosen)
    def _on_chosen(self, event: StepBars.Chosen) -> None:
        self.current = event.index

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a trace there is only the way back."""
        if action in ("step", "first", "last", "rejection", "scroll_table"):
            return bool(self._xray.steps)
        return True


def _about(xray: Xray, index: int, nothing: str) -> Content:
    """Return a step in numbers. nothing: said of one that did not draft."""
    step = xray.steps[index]
    if not step.drafted:
        return Content.styled(nothing, DIM)
    rejected = sum(row.fate == "rejected" for row in rows(step))
    untested = len(step.drafted) - step.accepted - rejected
    parts = [f"{len(step.drafted)} drafted", f"{step.accepted} accepted", f"{rejected} rejected"]
    if untested:
        parts.append(f"{untested} unused")
    return Content.styled(" · ".join(parts), DIM)


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _totals(xray: Xray, width: int) -> Content:
    """Return the whole answer in numbers, as many as have room."""
    totals = xray.totals
    parts = [
        counted(totals.steps, "step"),
        f"{totals.drafted} drafted",
        f"{totals.accepted} accepted",
    ]
    if totals.plain_s > 0:
        verb = "saved" if totals.saved_s >= 0 else "lost"
        parts.append(f"{verb} ≈{_time(abs(totals.saved_s))} of ≈{_time(totals.plain_s)} plain")
    parts.append(counted(sum(xray.tokens), "token"))
    return fitted([Content(part) for part in parts], width)
