"""The summary that is sent in the place of the turns above it, folded where it is long."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from app.sanitise import sanitise
from app.tui.widgets.thinking import FOLDED, OPENED
from app.tui.widgets.turn_view import TurnView

LONG_CHARACTERS, LONG_LINES = 320, 5


class SummaryView(Vertical):
    """text: the summary; n: of how many turns; last: the turn that it stands below."""

    DEFAULT_CSS = """
    SummaryView {
        height: auto;
        max-width: 108;
        .summary--line { width: auto; pointer: pointer; }
        .summary--text { display: none; padding-left: 1; border-left: outer $panel; }
        &.-found { background: $warning 25%; }
        &.-open .summary--text { display: block; }
    }
    """

    def __init__(self, text: str, n: int, last: TurnView) -> None:
        is_long = len(text) > LONG_CHARACTERS or text.count("\n") >= LONG_LINES
        super().__init__(classes="note" if is_long else "note -open")
        self.text, self.n = text, n
        self.about: tuple[object, ...] = (last, n, text)
        self._line = Static(classes="summary--line", markup=False)

    @property
    def line(self) -> str:
        """What is said of it."""
        turns = "1 turn" if self.n == 1 else f"{self.n} turns"
        n_words = len(self.text.split())
        words = "" if self.has_class("-open") else f" · {n_words} word{'s' * (n_words != 1)}"
        return f"summary of {turns}, sent to the model in their place{words}"

    def compose(self) -> ComposeResult:
        """One line, and what it unfolds to."""
        self._write()
        yield self._line
        yield Static(sanitise(self.text), classes="summary--text", markup=False)

    def toggle(self) -> None:
        """Open or fold it."""
        self.toggle_class("-open")
        self._write()

    def on_click(self, event: events.Click) -> None:
        """Open or fold it by its line; what is open can be selected."""
        if event.widget is self._line:
            event.stop()
            self.toggle()

    def _write(self) -> None:
        self._line.update(f"{OPENED if self.has_class('-open') else FOLDED} {self.line}")
