"""Asks before something that cannot be undone, or that is likely to be a mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from app.terminal.sanitise import one_line
from app.tui.screens.left_once import LeftOnce


class ConfirmScreen(ModalScreen[bool], LeftOnce[bool]):
    """A question with two answers; whoever hurries past it has said no."""

    CSS_PATH = "confirm.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "No", priority=True),
        Binding("y", "answer(True)", "Yes"),
        Binding("left,right", "app.focus_next", "Other answer", show=False),
    ]

    def __init__(self, question: str, lines: Sequence[str], yes: str, no: str) -> None:
        super().__init__()
        self._question = one_line(question)
        self._lines = [one_line(line) for line in lines]
        self._yes, self._no = yes, no

    def compose(self) -> ComposeResult:
        """Question, what there is to know, answers."""
        with Vertical(id="box"):
            yield Static(self._question, id="question", markup=False)
            with VerticalScroll(can_focus=False):
                for line in self._lines:
                    yield Static(line, markup=False)
            with Horizontal(id="answers"):
                yield Button(f"{self._no} (Esc)", id="no", compact=True)
                yield Button(f"{self._yes} (y)", id="yes", variant="error", compact=True)

    @on(Button.Pressed)
    def _on_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer and go."""
        self.dismiss(answer)
