"""The ends of the logs, to be read, selected and copied."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from app.tui.screens.text_to_read import TextToRead
from app.tui.text.copied import copy_and_tell

HOW = "the last lines; Shift with the arrow keys selects"


class LogScreen(TextToRead):
    """text: what the logs say, the newest last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy", "Copy", priority=True),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, text: str) -> None:
        super().__init__(text, "Logs", HOW)

    def on_mount(self) -> None:
        """Begin at the end: what was said last."""
        super().on_mount()
        self.text.move_cursor(self.text.document.end)

    async def action_copy(self) -> None:
        """Copy what is selected, and stay; without a selection, go back."""
        selected = self.text.selected_text
        if selected.strip():
            await copy_and_tell(self.app, selected)
        else:
            self.action_back()
