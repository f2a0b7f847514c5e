"""The ends of the logs, to be read, selected and copied; nothing of them is changed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static, TextArea

from app.tui.copied import copy_and_tell
from app.tui.widgets.screen_footer import ScreenFooter

HOW = "the last lines; Shift with the arrow keys selects"


class LogScreen(Screen[None]):
    """text: what the logs say, the newest last."""

    DEFAULT_CSS = """
    LogScreen {
        layout: vertical;
        background: $background;

        #head {
            height: 1;
            padding: 0 1;
            background: $surface;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
        TextArea {
            height: 1fr;
            padding: 0 1;
            border: none;
            background: $background;
            scrollbar-size-vertical: 1;
            &:focus { border: none; }
            & .text-area--cursor-line { background: transparent; }
        }
        Footer { background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy", "Copy", priority=True),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = TextArea(
            text,
            soft_wrap=True,
            read_only=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
        )

    def compose(self) -> ComposeResult:
        """What it is, and the lines."""
        head = Content.assemble(("Logs", "bold $primary"), "  ", (HOW, "$foreground-muted"))
        yield Static(head, id="head", markup=False)
        yield self._text
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Begin at the end: what was said last."""
        self._text.focus()
        self._text.move_cursor(self._text.document.end)

    async def action_copy(self) -> None:
        """Copy what is selected, and stay; without a selection, go back."""
        selected = self._text.selected_text
        if selected.strip():
            await copy_and_tell(self.app, selected)
        else:
            self.action_back()

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)
