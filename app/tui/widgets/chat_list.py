"""The list of chats: of any length, drawn only where it is seen.

It never takes the focus: keys come through its methods, from whoever has it. A click highlights, a
second click chooses. The highlighted row is always seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from app.tui.chats.chat_row import ChatRow


class ChatList(ScrollView, can_focus=False):
    """All rows have the same height."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "chat-list--row",
        "chat-list--highlighted",
        "chat-list--hover",
    }
    DEFAULT_CSS = """
    ChatList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-color: $panel-lighten-2;
        scrollbar-background: $background;
        & > .chat-list--row { color: $foreground; }
        & > .chat-list--highlighted {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
        & > .chat-list--hover { background: $block-hover-background; }
    }
    """

    highlighted: reactive[int | None] = reactive(None)
    """The row that keys act on, None if there are no rows."""
    hovered: reactive[int | None] = reactive(None)
    """The row under the mouse."""

    @dataclass
    class Chosen(Message):
        """The highlighted chat was chosen."""

    @dataclass
    class Highlighted(Message):
        """Another chat is highlighted."""

    @dataclass
    class Scrolled(Message):
        """Other rows are seen."""

    def __init__(self, current: int | None) -> None:
        """current: the chat that is open."""
        super().__init__()
        self.rows: Sequence[ChatRow] = ()
        self._current = current
        self._now = 0.0
        self._row_height = 1
        self._drawn: LRUCache[tuple[int, str, int], list[Strip]] = LRUCache(1000)

    @property
    def chosen(self) -> ChatRow | None:
        """The highlighted row."""
        return None if self.highlighted is None else self.rows[self.highlighted]

    @property
    def is_near_end(self) -> bool:
        """Whether the last rows are seen, or the next page would show them."""
        seen = self.scroll_offset.y + 2 * self.size.height
        return seen >= len(self.rows) * self._row_height

    @property
    def y_of_highlighted(self) -> int | None:
        """The line on which the highlighted row is seen; None if it is not."""
        if self.highlighted is None:
            return None
        y = self.highlighted * self._row_height - self.scroll_offset.y
        return y if 0 <= y < self.size.height else None

    def show(self, rows: Sequence[ChatRow], chat: int | None, now: float) -> None:
        """Show rows and highlight a chat, or what is in its place if it is not among them."""
        place = self.highlighted
        self.rows, self._now = rows, now
        self._row_height = 2 if rows and rows[0].hit else 1
        here = next((at for at, row in enumerate(rows) if row.info.id == chat), place or 0)
        self.set_reactive(ChatList.highlighted, min(here, len(rows) - 1) if rows else None)
        self.set_reactive(ChatList.hovered, None)
        self._drawn.clear()
        self._measure()
        self.refresh()
        self.call_after_refresh(self.follow)
        self.post_message(self.Highlighted())

    def move(self, steps: int) -> None:
        """Highlight the row so many further down, or up; at most the last, or first."""
        if self.rows:
            place = (self.highlighted or 0) + steps
            self.highlighted = max(0, min(place, len(self.rows) - 1))

    def move_pages(self, pages: int) -> None:
        """Highlight what is so many pages further down, or up."""
        self.move(pages * max(1, self.size.height // self._row_height - 1))

    def watch_highlighted(self, before: int | None, now: int | None) -> None:
        """Show where it is."""
        self.follow()
        self._redraw(before, now)
        self.post_message(self.Highlighted())

    def watch_hovered(self, before: int | None, now: int | None) -> None:
        """Show what a click would highlight."""
        self._redraw(before, now)

    def notify_style_update(self) -> None:
        """Take other colours."""
        super().notify_style_update()
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell whoever loads more."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._keep_in_sight()
            self.post_message(self.Scrolled())

    def on_resize(self) -> None:
        """Keep the highlighted row in sight."""
        self._measure()
        self.follow()
        self.post_message(self.Scrolled())

    def on_click(self, event: events.Click) -> None:
        """Highlight; choose what is clicked twice."""
        row = event.style.meta.get("row")
        if isinstance(row, int) and row < len(self.rows):
            self.highlighted = row
            if event.chain > 1:
                self.post_message(self.Chosen())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the row under the mouse."""
        row = event.style.meta.get("row")
        self.hovered = row if isinstance(row, int) and row < len(self.rows) else None

    def on_leave(self) -> None:
        """Mark none."""
        self.hovered = None

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        width = self.scrollable_content_region.width
        place, part = divmod(self.scroll_offset.y + y, self._row_height)
        if place >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        name = ""
        if place == self.highlighted:
            name = "chat-list--highlighted"
        elif place == self.hovered:
            name = "chat-list--hover"
        return self._strips(place, name, width)[part]

    def _strips(self, place: int, name: str, width: int) -> list[Strip]:
        """Return the lines of a row in the style of that name."""
        strips = self._drawn.get((place, name, width))
        if strips is None:
            style = self.get_visual_style("chat-list--row", *([name] if name else []))
            row = self.rows[place]
            lines = row.lines(width, self._now, row.info.id == self._current)
            strips = [
                Visual.to_strips(self, line, width, 1, style, pad=True)[0].apply_meta(
                    {"row": place}
                )
                for line in lines
            ]
            self._drawn[place, name, width] = strips
        return strips

    def _redraw(self, *rows: int | None) -> None:
        for row in rows:
            if row is not None:
                self.refresh_lines(row * self._row_height, self._row_height)

    def _measure(self) -> None:
        width = self.scrollable_content_region.width
        self.virtual_size = Size(width, len(self.rows) * self._row_height)

    def _keep_in_sight(self) -> None:
        """Let the highlight move with what is scrolled: no key may change what is not seen."""
        if self.highlighted is not None:
            top, height = self.scroll_offset.y, self._row_height
            first = -(-top // height)
            last = max(first, (top + self.size.height) // height - 1)
            place = max(first, min(self.highlighted, last))
            self.highlighted = min(place, len(self.rows) - 1)

    def follow(self) -> None:
        """Scroll to the highlighted row."""
        if self.highlighted is not None and self.highlighted < len(self.rows):
            y = self.highlighted * self._row_height
            region = Region(0, y, max(1, self.size.width), self._row_height)
            self.scroll_to_region(region, animate=False, force=True, x_axis=False)
