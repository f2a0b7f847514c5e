"""The summary that is sent in the place of the turns above it, folded where it is long."""

from __future__ import annotations

from app.sizes import counted
from app.tui.widgets.fold import Fold
from app.tui.widgets.turn_view import TurnView

LONG_CHARACTERS, LONG_LINES = 320, 5


class SummaryView(Fold):
    """text: the summary; n: of how many turns; last: the turn that it stands below."""

    DEFAULT_CSS = """
    SummaryView {
        max-width: 108;
        &.-found { background: $warning 25%; }
    }
    """

    def __init__(self, text: str, n: int, last: TurnView) -> None:
        is_long = len(text) > LONG_CHARACTERS or text.count("\n") >= LONG_LINES
        super().__init__(classes="note" if is_long else "note -open")
        self.text, self.n, self.last = text, n, last
        self.about: tuple[object, ...] = (last, n, text)

    @property
    def line(self) -> str:
        """What is said of it."""
        words = "" if self.is_open else f" · {counted(len(self.text.split()), 'word')}"
        whose = "its" if self.n == 1 else "their"
        return f"summary of {counted(self.n, 'turn')}, sent to the model in {whose} place{words}"

    @property
    def body(self) -> str:
        """The summary."""
        return self.text
