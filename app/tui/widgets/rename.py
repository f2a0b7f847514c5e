"""The field in which a chat gets another title, in the place of its row."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from app.tui.widgets.line_input import LineInput

NAME_HINT = "empty: its first question"


class Rename(LineInput):
    """Hidden until a title is to be typed; leaving it gives up."""

    DEFAULT_CSS = """
    Rename {
        layer: above;
        display: none;
        background: $panel;
        color: $foreground;
        padding: 0;
        &:focus { background: $panel; }
    }
    """

    @dataclass
    class Left(Message):
        """The focus went elsewhere."""

    def __init__(self) -> None:
        super().__init__(placeholder=NAME_HINT, compact=True)
        self.chat: int | None = None

    def begin(self, chat: int, title: str) -> None:
        """Ask for the title of a chat."""
        self.chat = chat
        self.value = title
        self.display = True
        self.focus()

    def place(self, x: int, y: int, width: int) -> None:
        """Lie over the title."""
        self.styles.offset = (x, y)
        self.styles.width = width

    def end(self) -> str:
        """Return what was typed and be gone."""
        self.chat, self.display = None, False
        return self.value

    def on_blur(self) -> None:
        """Give up; but not because another window has the focus."""
        if self.chat is not None and self.app.app_focus:
            self.post_message(self.Left())
