"""An answer as its Markdown source, in which the keyboard selects."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from app.terminal.sanitise import one_line, sanitise
from app.tui.keys.keymap import told
from app.tui.keys.screen_keys import bound
from app.tui.screens.text_to_read import TextToRead
from app.tui.text.copied import copy_and_tell

HOW = "Shift with the arrow keys selects"
NOTHING = f"Nothing is selected: {HOW}, {{source-all}} selects all."
TOLD_S = 4


class AnswerSource(TextToRead):
    """Dismissed with the text that is to be quoted, None for none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,enter", "copy", "Copy", priority=True),
        bound("source-quote", "quote", priority=True),
        bound("source-all", "all", priority=True),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, answer: str, question: str) -> None:
        super().__init__(sanitise(answer), HOW, one_line(question))

    async def action_copy(self) -> None:
        """Copy the selection, and stay for more."""
        if selected := self._selected():
            await copy_and_tell(self.app, selected)

    def action_quote(self) -> None:
        """Go back with the selection."""
        if selected := self._selected():
            self.dismiss(selected)

    def action_all(self) -> None:
        """Select all of the answer."""
        self.text.select_all()

    def _selected(self) -> str:
        """Return what is selected; where that is nothing, say how to select."""
        selected = self.text.selected_text
        if selected.strip():
            return selected
        self.notify(told(self, NOTHING), timeout=TOLD_S, markup=False)
        return ""
