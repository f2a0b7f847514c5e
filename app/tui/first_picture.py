"""What is painted before anything else is known or imported: the frame, and a place to type."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from app.terminal.sanitise import sanitise

NAME = "Slipstream"
OPENING = "opening…"


class FirstPicture(Screen[None]):
    """The frame of the chat."""

    DEFAULT_CSS = """
    FirstPicture {
        layout: vertical;
        background: $background;

        #name { height: 1; padding: 0 1; background: $surface; color: $primary; text-style: bold; }
        #nothing { height: 1fr; }
        #field {
            height: auto;
            min-height: 3;
            max-height: 8;
            border: round $primary;
            padding: 0 1;
            border-subtitle-color: $foreground-muted;
            scrollbar-size-vertical: 0;
        }
        #keys { height: 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._typed = Static("", markup=False)
        self._field = VerticalScroll(self._typed, id="field", can_focus=False)
        self._text = ""

    def compose(self) -> ComposeResult:
        """Lay the frame out."""
        yield Static(NAME, id="name")
        yield Static("", id="nothing")
        yield self._field
        yield Static("", id="keys")

    def on_mount(self) -> None:
        """Say that there is more to come, and keep the end of what is typed in sight."""
        self._field.border_subtitle = OPENING
        self._field.anchor()

    def show(self, event: events.Key | events.Paste) -> None:
        """Show what a key seems to type, or what was pasted."""
        if isinstance(event, events.Paste):
            self._text += event.text.replace("\r\n", "\n").replace("\r", "\n")
        elif event.key == "backspace":
            self._text = self._text[:-1]
        elif event.is_printable and event.character:
            self._text += event.character
        self._typed.update(sanitise(self._text))
