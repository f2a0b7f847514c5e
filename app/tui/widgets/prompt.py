"""Where questions are typed: Enter sends, Ctrl+J (Shift+Enter where the terminal tells) breaks."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import TextArea

NEW_LINE_KEYS = ("ctrl+j", "shift+enter", "alt+enter")


class Prompt(TextArea):
    """A text field that grows with its text."""

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        min-height: 3;
        max-height: 8;
        border: round $panel-lighten-2;
        background: $background;
        padding: 0 1;
        border-subtitle-color: $foreground 50%;
        scrollbar-size-vertical: 1;
        &:focus { border: round $primary; }
        & .text-area--cursor-line { background: transparent; }
    }
    """

    @dataclass
    class Submitted(Message):
        """A question was sent."""

        question: str

    def __init__(self) -> None:
        super().__init__(
            placeholder="Ask something",
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
        )

    def take(self, text: str) -> None:
        """Put a text back for editing, before what has been typed since."""
        self.text = f"{text}\n{self.text}" if self.text else text
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        """Send on Enter; the other keys are the text field's."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self._send()
        elif event.key in NEW_LINE_KEYS:
            event.stop()
            event.prevent_default()
            self.insert("\n")

    def _send(self) -> None:
        question = self.text.strip()
        if question:
            self.text = ""
            self.post_message(self.Submitted(question))
