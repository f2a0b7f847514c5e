"""A text over the whole screen, in which the keyboard selects; nothing of it is changed."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static, TextArea

from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.screen_footer import ScreenFooter


class TextToRead(ViKeys, LeftOnce[str | None]):
    """name, about: what stands above the text, the second in a lower voice."""

    DEFAULT_CSS = """
    TextToRead {
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

    def __init__(self, text: str, name: str, about: str) -> None:
        super().__init__()
        self._head = Content.assemble((name, "bold $primary"), "  ", (about, DIM))
        self.text = TextArea(
            text,
            soft_wrap=True,
            read_only=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
        )

    def compose(self) -> ComposeResult:
        """What it is; the text."""
        yield Static(self._head, id="head", markup=False)
        yield self.text
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Have the keys move the cursor at once."""
        self.text.focus()

    def action_back(self) -> None:
        """Go back to the chat; each screen has its own keys for that, behind its others."""
        self.dismiss(None)
