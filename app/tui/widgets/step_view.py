"""One step of an answer: the text so far, what became of each token, and what it cost."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from app.chat.summary import times
from app.sizes import counted
from app.terminal.sanitise import one_line
from app.tui.figures.figures import UNKNOWN
from app.tui.figures.xray import Fate, Row, Xray, running_text
from app.tui.text.origins import label, style_of
from app.tui.tones import DIM, FAINT
from app.tui.widgets.tinted import ORIGIN_CLASSES, Tinted
from engine import PLAIN

STEP = "bold underline"
COST_BAR, BESIDE_BAR = 24, 24
NAME, TOKEN, ORIGIN = 10, 20, 13
LEAST_TOKEN, LEAST_ORIGIN, BESIDE = 8, 7, 36
"""Columns of a token and its origin where there are few, and what else has to have room."""
TARGET = "target"
NO_TEXT = "(no text)"
MARKS: dict[Fate, tuple[str, str, str]] = {
    "accepted": ("✓", "$success", "accepted"),
    "rejected": ("✗", "bold $error", "rejected"),
    "not tested": ("·", DIM, "not tested"),
    "not needed": ("·", DIM, "not needed: the end"),
    "corrected": ("→", "bold", "said instead"),
    "bonus": ("+", "bold", "added: bonus"),
    "plain": ("→", "bold", "said: no draft"),
}
"""What became of a token: its mark, the mark's style, and words."""
NEAR_TIE = ", near-tie"
STRUCK = ("rejected", "not tested", "not needed")
OWN = ("corrected", "bonus", "plain")


class StepView(Static, Tinted):
    """Shows something of the step at hand, and fits it to the room that there is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES

    current: reactive[int] = reactive(0, layout=False)
    """The index of the step at hand."""

    def __init__(self, xray: Xray) -> None:
        super().__init__(markup=False)
        self.xray = xray

    def watch_current(self) -> None:
        """Show another step."""
        self._write()

    def on_resize(self) -> None:
        """Fit it to the room."""
        self._write()

    def _write(self) -> None:
        if self.xray.steps:
            self.update(self.content_of(self.current))

    def content_of(self, index: int) -> Content:
        """Return what is shown of a step."""
        raise NotImplementedError


class TextSoFar(StepView):
    """The end of the answer up to the step, whose own tokens are highlighted, in brackets."""

    def content_of(self, index: int) -> Content:
        """Return as many lines as fit, the newest last."""
        width, height = self.content_size
        before = Content.styled(self.xray.before(index, width * height), DIM)
        own = [_tinted(running_text(s.text), s.origin, STEP) for s in self.xray.said(index)]
        whole = Content.assemble(before, ("[", "bold"), *own, ("]", "bold"))
        return Content("\n").join(whole.wrap(max(2, width))[-max(1, height) :])


class StepTable(StepView):
    """A line for each token: who drafted it, how sure that was, what became of it."""

    def content_of(self, index: int) -> Content:
        """Return the table."""
        width = self.content_size.width
        token, origin = _columns(width)
        lines = [_line(row, token, origin).truncate(width) for row in self.xray.rows(index)]
        return Content("\n").join(lines)


class StepCost(StepView):
    """What the step took beside what plain decoding would have taken, as bars."""

    def content_of(self, index: int) -> Content:
        """Return three lines: this step, plain, the gain."""
        step, n = self.xray.steps[index], self.xray.tokens[index]
        most_s = max(step.step_s, step.plain_s)
        bar = max(1, min(COST_BAR, self.content_size.width - BESIDE_BAR))
        lines = [
            _bar("this step", step.step_s, most_s, " ", "$primary", bar),
            _bar("plain", step.plain_s, most_s, "≈", DIM, bar),
            self._gain(index),
        ]
        lines[0] += Content.styled(f"  for {counted(n, 'token')}", DIM)
        return Content("\n").join(lines)

    def _gain(self, index: int) -> Content:
        """Return what the step saved or lost; of the first one that says nothing."""
        step, gain_s = self.xray.steps[index], self.xray.gain_s(index)
        if index == 0:
            return Content.styled("the first step also reads the end of the question", DIM)
        if gain_s is None:
            return Content.styled("what plain decoding costs here is unknown", DIM)
        verb, style = ("saved", "bold $success") if gain_s >= 0 else ("lost", "bold $warning")
        factor = times(step.plain_s / step.step_s) if step.step_s > 0 else UNKNOWN
        took = f"≈{milliseconds(abs(gain_s)).strip()}"
        return Content.assemble((f"{verb:<{NAME}}", DIM), (took, style), (f"  {factor} plain", DIM))


def milliseconds(seconds: float) -> str:
    """Write a step's time, always equally wide."""
    return f"{1000 * seconds:>7.1f} ms"


def _bar(name: str, seconds: float, most_s: float, mark: str, style: str, width: int) -> Content:
    full = round(seconds / most_s * width) if most_s > 0 else 0
    time = milliseconds(seconds)
    number = time.lstrip()
    return Content.assemble(
        (f"{name:<{NAME}}", DIM),
        ("━" * full, style),
        ("─" * (width - full), FAINT),
        (" " * (len(time) - len(number)) + mark + number, "bold"),
    )


def _columns(width: int) -> tuple[int, int]:
    """Return how wide a token and its origin are, so that what became of it has room."""
    token = max(LEAST_TOKEN, min(TOKEN, width - BESIDE - ORIGIN))
    return token, max(LEAST_ORIGIN, min(ORIGIN, width - BESIDE - token))


def _line(row: Row, token_width: int, origin_width: int) -> Content:
    mark, style, words = MARKS[row.fate]
    text = Content(row.token or NO_TEXT).truncate(token_width, ellipsis=True).plain
    token = _tinted(text, row.origin, f"strike {DIM}" if row.fate in STRUCK else "")
    is_own = row.fate in OWN
    sure = UNKNOWN if row.confidence is None else f"{100 * row.confidence:.0f} %"
    name = TARGET if is_own else one_line(label(row.origin))
    return Content.assemble(
        (f"{mark} ", style),
        token,
        " " * (token_width + 1 - token.cell_length),
        _tinted(f" {name} ", row.origin, "").truncate(origin_width + 1, ellipsis=True, pad=True),
        (f"{'' if is_own else sure:>6}  ", "bold"),
        (words, style),
        (NEAR_TIE if row.near_tie else "", DIM),
    )


def _tinted(text: str, origin: str, style: str) -> Content:
    content = Content(text)
    if origin != PLAIN:
        content = content.stylize(f".{style_of(origin)}")
    return content.stylize(style)
