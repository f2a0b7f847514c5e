"""The line below a chat that is read further up: there is new text at its end."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Static

from app.tui.keys.keymap import told

NEW = "↓ new text below · {newest}"


class NewBelow(Static):
    """A click goes there."""

    DEFAULT_CSS = """
    NewBelow {
        display: none;
        height: 1;
        text-align: center;
        color: $accent;
        background: $surface;
        pointer: pointer;
        &:hover { text-style: underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants to be there."""

    def on_mount(self) -> None:
        """Name the key."""
        self.update(told(self, NEW))

    def on_click(self, event: events.Click) -> None:
        """Have the newest text shown."""
        event.stop()
        self.post_message(self.Chosen())
