"""The table of settings: name, value, where the value comes from; groups with their titles."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets.option_list import Option

from app.settings.rows import GROUPS, ROWS, SOURCES, Now, Row, SettingsNow, shown
from app.tui.preferences.own_settings import OWN
from app.tui.tones import DIM
from app.tui.widgets.row_list import RowList

LABELS = max(len(row.label) for row in ROWS.values()) + 2
FOR_ALL = "all chats"
"""Where a value comes from that was chosen in a chat and holds in all, until the app ends."""
ORIGINS = max(map(len, SOURCES.values()))
GAP = 2


class SettingList(RowList):
    """All settings."""

    def __init__(self) -> None:
        super().__init__()
        self._settings: SettingsNow = {}

    def compose(self) -> ComposeResult:
        """The rows."""
        yield self.rows

    @property
    def highlighted(self) -> Row | None:
        """The setting that keys act on."""
        index = self.rows.highlighted
        name = self.rows.get_option_at_index(index).id if index is not None else None
        return ROWS.get(name or "")

    def on_mount(self) -> None:
        """Paint the names before the values are known."""
        for title, rows in GROUPS.items():
            self.rows.add_option(Option(Content(title), disabled=True))
            self.rows.add_options([Option(Content(row.label), id=row.name) for row in rows])
        self.rows.highlighted = 1
        self.rows.focus()

    def focus_rows(self) -> None:
        """Take the keys."""
        self.rows.focus()

    def show(self, settings: SettingsNow) -> None:
        """Show other values."""
        self._settings = settings
        self.write()

    def write(self) -> None:
        """Lay the settings out."""
        for name, row in ROWS.items():
            line = laid_out(row, self._settings.get(name), self.room)
            if self.rows.get_option(name).prompt != line:
                self.rows.replace_option_prompt(name, line)


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
        is_for_all = now.source == "chat" and row.name not in OWN
        line = Content.assemble(line, gap, (FOR_ALL if is_for_all else SOURCES[now.source], DIM))
    return line.truncate(width, ellipsis=True)
