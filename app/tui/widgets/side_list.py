"""The lines of the list beside the chat: as the list of chats, but one click chooses, and no key
and no click goes to a heading.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from app.tui.chats.chat_row import ChatRow
from app.tui.chats.side_rows import Heading
from app.tui.widgets.chat_list import ChatList


class SideList(ChatList):
    """The highlight is for who has the focus to show, or not."""

    def show(self, rows: Sequence[ChatRow], chat: int | None, now: float) -> None:
        """Show rows and highlight a chat, or what is in its place if it is not among them."""
        super().show(rows, chat, now)
        self.highlighted = self.validate_highlighted(self.highlighted)

    @property
    def n_seen(self) -> int:
        """How many rows there are down to the last one that is seen."""
        return self.scroll_offset.y + self.size.height

    def place_of(self, chat: int | None) -> int | None:
        """Return the row of a chat, None if there is none."""
        return next((at for at, row in enumerate(self.rows) if row.info.id == chat), None)

    def validate_highlighted(self, at: int | None) -> int | None:
        """Go past a heading, the way that was being gone."""
        if at is None or at >= len(self.rows) or not isinstance(self.rows[at], Heading):
            return at
        return at - 1 if 0 < at < (self.highlighted or 0) else at + 1

    def follow(self) -> None:
        """Scroll to the highlighted row, and with the first one to the heading above it."""
        super().follow()
        if self.highlighted == 1 and isinstance(self.rows[0], Heading):
            self.scroll_to(y=0, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked."""
        event.prevent_default()
        at = self._chat_at(event)
        if at is not None and event.button == 1:
            self.highlighted = at
            self.post_message(self.Chosen())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the chat under the mouse."""
        event.prevent_default()
        self.hovered = self._chat_at(event)

    def _chat_at(self, event: events.MouseEvent) -> int | None:
        row = event.style.meta.get("row")
        if not isinstance(row, int) or row >= len(self.rows):
            return None
        return None if isinstance(self.rows[row], Heading) else row
