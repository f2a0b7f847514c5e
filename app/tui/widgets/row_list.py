"""What the tables of pairs and of settings share: rows of columns under the keys and the mouse.

A click highlights, a second click or Enter chooses: nothing is done by a slip of the mouse.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList

ROOM = 3
"""Columns that padding and the scroll bar take."""


class Rows(OptionList):
    """The rows; a single click only highlights."""

    def on_click(self, event: events.Click) -> None:
        """Highlight; choose where it is clicked twice."""
        row = event.style.meta.get("option")
        if event.chain < 2 and isinstance(row, int):
            event.prevent_default()
            if not self.get_option_at_index(row).disabled:
                self.highlighted = row
                self.focus()


class RowList(Vertical):
    """A table. It yields its `rows`, and writes them anew in `write`."""

    DEFAULT_CSS = """
    RowList {
        Rows {
            height: 1fr;
            border: none;
            padding: 0 1;
            background: transparent;
            scrollbar-size-vertical: 1;
            scrollbar-color: $panel-lighten-2;
            scrollbar-background: $background;
            text-wrap: nowrap;
            &:focus { border: none; background: transparent; }
            & > .option-list--option-disabled { color: $primary; text-style: bold; }
        }
    }
    """

    @dataclass
    class Chosen(Message):
        """The highlighted row was chosen."""

    @dataclass
    class Highlighted(Message):
        """Another row is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = Rows(markup=False)

    @property
    def room(self) -> int:
        """How many columns a row may have."""
        return max(0, self.content_size.width - ROOM)

    def write(self) -> None:
        """Lay the rows out for the room there is."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Fit the columns to the new width, and keep the highlighted row in sight."""
        self.write()
        self.call_after_refresh(self.rows.scroll_to_highlight)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell whoever shows the details."""
        event.stop()
        self.post_message(self.Highlighted())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell whoever acts."""
        event.stop()
        self.post_message(self.Chosen())
