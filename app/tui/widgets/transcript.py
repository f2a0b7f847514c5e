"""The chat as it scrolls by; it sticks to its end unless the reader has scrolled up."""

from __future__ import annotations

from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from app.sanitise import one_line
from app.tui.widgets.turn_view import TurnView
from app.tui.widgets.welcome import Welcome


class Transcript(VerticalScroll):
    """Turns and notes, oldest first."""

    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-color: $panel-lighten-2;
        scrollbar-background: $background;
        #page { height: auto; min-height: 100%; padding: 1 1 0 1; }
        .note { padding: 0 2; margin-bottom: 1; color: $foreground 60%; }
        .note.-error { color: $error; }
    }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Start empty."""
        with Vertical(id="page"):  # never shorter than the view: an anchor would push it down
            yield Welcome(self._title)

    def on_mount(self) -> None:
        """Stick to the end."""
        self.anchor()

    async def add_turn(self, view: TurnView) -> None:
        """Add a question at the end and show it."""
        await self.query(Welcome).remove()
        await self._page.mount(view)
        self.anchor()

    async def note(self, text: str, kind: Literal["dim", "error"] = "dim") -> None:
        """Add a line that the app says itself."""
        await self._page.mount(Static(one_line(text), classes=f"note -{kind}", markup=False))

    async def restart(self) -> Welcome:
        """Empty the transcript."""
        await self._page.remove_children()
        welcome = Welcome(self._title)
        await self._page.mount(welcome)
        return welcome

    @property
    def _page(self) -> Vertical:
        return self.query_one("#page", Vertical)

    def turn(self, key: int) -> TurnView | None:
        """Return the view of a question, if it is still here."""
        return next((view for view in self.query(TurnView) if view.key == key), None)

    @property
    def last_turn(self) -> TurnView | None:
        """The newest question."""
        views = self.query(TurnView)
        return views.last() if views else None
