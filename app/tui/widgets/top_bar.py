"""The first line: the app, the pair, and what is going on."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from app.sanitise import one_line

STATES = {
    "loading": ("◌ loading", "$warning"),
    "ready": ("● ready", "$success"),
    "answering": ("● answering", "$primary"),
    "stopping": ("● stopping", "$warning"),
    "down": ("● engine stopped", "$error"),
}


class TopBar(Static):
    """One line; the pair's title gives way where it is too long."""

    DEFAULT_CSS = """
    TopBar { height: 1; padding: 0 1; background: $surface; }
    """

    state: reactive[str] = reactive("loading")
    """One of STATES."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = one_line(title)

    def watch_state(self) -> None:
        """Show another state."""
        self._write()

    def on_resize(self) -> None:
        """Fit the title to the new width."""
        self._write()

    def _write(self) -> None:
        words, style = STATES[self.state]
        name = Content.styled("Slipstream", "bold $primary")
        room = self.content_size.width - name.cell_length - len(words) - 4
        title = Content.styled(self._title, "$foreground 70%").truncate(max(0, room), ellipsis=True)
        gap = " " * max(1, room + 2 - title.cell_length)
        self.update(Content.assemble(name, "  ", title, gap, (words, style)))
