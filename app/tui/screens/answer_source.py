"""An answer as its Markdown source, in which the keyboard selects; nothing of it is changed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static, TextArea

from app.sanitise import one_line, sanitise
from app.tui.copied import copy_and_tell
from app.tui.keymap import told
from app.tui.screen_keys import bound
from app.tui.widgets.screen_footer import ScreenFooter

HOW = "Shift with the arrow keys selects"
NOTHING = f"Nothing is selected: {HOW}, {{source-all}} selects all."
TOLD_S = 4


class AnswerSource(Screen[str | None]):
    """Dismissed with the text that is to be quoted, None for none."""

    DEFAULT_CSS = """
    AnswerSource {
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
        Binding("ctrl+c,enter", "copy", "Copy", priority=True),
        bound("source-quote", "quote", priority=True),
        bound("source-all", "all", priority=True),
        Binding("escape", "back", "Back", priority=True),
    ]

    def __init__(self, answer: str, question: str) -> None:
        super().__init__()
        self._question = one_line(question)
        self._text = TextArea(
            sanitise(answer),
            soft_wrap=True,
            read_only=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
        )

    def compose(self) -> ComposeResult:
        """How to select, and of which answer; the answer."""
        head = Content.assemble((HOW, "bold $primary"), "  ", (self._question, "$foreground-muted"))
        yield Static(head, id="head", markup=False)
        yield self._text
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Have the keys move the cursor at once."""
        self._text.focus()

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
        self._text.select_all()

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)

    def _selected(self) -> str:
        """Return what is selected; where that is nothing, say how to select."""
        selected = self._text.selected_text
        if selected.strip():
            return selected
        self.notify(told(self, NOTHING), timeout=TOLD_S, markup=False)
        return ""
