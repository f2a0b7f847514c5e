"""The table of settings: name, value, where the value comes from; groups with their titles.

A click highlights, a second click or Enter changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from app.tui.setting_rows import GROUPS, ROWS, SOURCES, Now, Row, Settings, shown

DIM = "$foreground 60%"
LABELS = max(len(row.label) for row in ROWS.values()) + 2
ORIGINS = max(map(len, SOURCES.values()))
GAP = 2


class _Rows(OptionList):
    """The rows; a single click only highlights."""

    def on_click(self, event: events.Click) -> None:
        """Highlight; choose where it is clicked twice."""
        row = event.style.meta.get("option")
        if event.chain < 2 and isinstance(row, int):
            event.prevent_default()
            if not self.get_option_at_index(row).disabled:
                self.highlighted = row
                self.focus()


class SettingList(Vertical):
    """All settings."""

    DEFAULT_CSS = """
    SettingList {
        OptionList {
            height: 1fr;
            border: none;
            padding: 0 1;
            background: transparent;
            scrollbar-size-vertical: 1;
            scrollbar-color: $panel-lighten-2;
            scrollbar-background: $background;
            text-wrap: nowrap;
            &:focus { border: none; background: transparent; }
            & > .option-list--option-highlighted { background: $primary 20%; text-style: none; }
            &:focus > .option-list--option-highlighted {
                background: $primary 30%; color: $foreground; text-style: bold;
            }
            & > .option-list--option-hover { background: $primary 15%; }
            & > .option-list--option-disabled { color: $primary; text-style: bold; }
        }
    }
    """

    @dataclass
    class Chosen(Message):
        """A setting is to be changed."""

    @dataclass
    class Highlighted(Message):
        """Another setting is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self._settings: Settings = {}
        self._rows = _Rows(markup=False)

    def compose(self) -> ComposeResult:
        """The rows."""
        yield self._rows

    @property
    def highlighted(self) -> Row | None:
        """The setting that keys act on."""
        index = self._rows.highlighted
        name = self._rows.get_option_at_index(index).id if index is not None else None
        return ROWS.get(name or "")

    def on_mount(self) -> None:
        """Paint the names before the values are known."""
        for title, rows in GROUPS.items():
            self._rows.add_option(Option(Content(title), disabled=True))
            self._rows.add_options([Option(Content(row.label), id=row.name) for row in rows])
        self._rows.highlighted = 1
        self._rows.focus()

    def focus_rows(self) -> None:
        """Take the keys."""
        self._rows.focus()

    def highlight(self, name: str) -> None:
        """Go to a setting."""
        self._rows.highlighted = self._rows.get_option_index(name)

    def show(self, settings: Settings) -> None:
        """Show other values."""
        self._settings = settings
        self._write()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._write()

    def _write(self) -> None:
        width = max(0, self.content_size.width - 3)  # padding, and the scroll bar
        for name, row in ROWS.items():
            line = laid_out(row, self._settings.get(name), width)
            if self._rows.get_option(name).prompt != line:
                self._rows.replace_option_prompt(name, line)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell whoever shows the details."""
        event.stop()
        self.post_message(self.Highlighted())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell whoever acts."""
        event.stop()
        self.post_message(self.Chosen())


def laid_out(row: Row, now: Now | None, width: int) -> Content:
    """Return a setting's line, not longer than the width; without its source where that is
    narrow.
    """
    label = Content(f"  {row.label}")
    if now is None:
        return label.truncate(width, ellipsis=True)
    has_source = width >= LABELS + 2 * ORIGINS
    room = max(4, width - LABELS - GAP - (ORIGINS + GAP if has_source else 0))
    style = "bold" if now.source != "default" else ""
    value = Content.styled(shown(row, now.value), style).truncate(room, ellipsis=True)
    line = Content.assemble(label, " " * (LABELS + GAP - label.cell_length), value)
    if has_source:
        gap = " " * (room - value.cell_length + GAP)
        line = Content.assemble(line, gap, (SOURCES[now.source], DIM))
    return line.truncate(width, ellipsis=True)
