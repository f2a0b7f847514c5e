"""The line that says what coloured words are: it goes with its answer, and with the colours."""

from __future__ import annotations

from textual.widgets import Static

from app.tui.widgets.turn_view import TurnView


class LegendLine(Static):
    """turn: whose answer it stands below."""

    def __init__(self, text: str, turn: TurnView) -> None:
        super().__init__(text, classes="note -dim", markup=False)
        self.turn = turn

    def on_mount(self) -> None:
        """Be there as long as words are coloured."""
        self.watch(self.screen, "guesses", self._show)

    def _show(self, guesses: bool) -> None:
        self.display = guesses
