"""The list of chats beside the chat: what is on the disk and what is open, in sight all the time.

It is read in a thread, when it is first seen and when something has become of a chat; not while an
answer grows. Nothing is read while it is not shown.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from app.history import History
from app.tui.background.newest import Newest
from app.tui.chats.chat_feed import ALL, PAGE, Found, Wish, read
from app.tui.chats.chat_row import ChatRow
from app.tui.chats.open_chats import Label, OpenChat
from app.tui.chats.side_rows import SideRow, arranged
from app.tui.failures import error_line
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.side_list import SideList

Opened = list[tuple[OpenChat, Label]]


class ChatSide(Vertical):
    """Has the focus when it is to take the keys; no click and no Tab gives it."""

    DEFAULT_CSS = """
    ChatSide {
        display: none;
        width: 30;
        height: 100%;
        padding: 1 0 0 1;
        border-right: solid $panel;
        & SideList > .chat-list--highlighted { background: transparent; text-style: none; }
        &:focus {
            border-right: solid $primary;
            SideList > .chat-list--highlighted {
                color: $block-cursor-foreground;
                background: $block-cursor-background;
                text-style: bold;
            }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", priority=True),
        Binding("escape", "leave", "Back", priority=True),
        Binding("up,k", "move(-1)", "Up", priority=True, show=False),
        Binding("down,j", "move(1)", "Down", priority=True, show=False),
        Binding("pageup", "page(-1)", "Page up", priority=True, show=False),
        Binding("pagedown", "page(1)", "Page down", priority=True, show=False),
        Binding("home,ctrl+home,g", "first", "First", priority=True, show=False),
        Binding("end,ctrl+end,G", "last", "Last", priority=True, show=False),
        Binding("slash", "seek", "Find", priority=True, show=False),
    ]

    def __init__(
        self,
        history: History | None,
        opened: Callable[[], Opened],
        choose: Callable[[SideRow], Awaitable[None]],
        leave: Callable[[], object],
    ) -> None:
        """history: None where nothing is kept. opened: says what is open; choose: shows a chat;
        leave: gives the keys back.
        """
        super().__init__()
        self._opened = opened
        self._choose = choose
        self._leave = leave
        self._list = SideList(None)
        self._feed: Newest[Wish, Found] | None = None
        if history is not None:
            self._feed = Newest(partial(read, history), self._take, self._fail, self.run_worker)
        self._found: Found | None = None
        self._seen: Opened = []
        self._numbers: list[int | None] = []
        self._here: int | None = None
        self._is_ending = False

    def compose(self) -> ComposeResult:
        """Rows."""
        yield self._list

    def on_mount(self) -> None:
        """Read again when other screens, where chats are changed, have gone."""
        self.watch(self.screen, "stack_updates", self.reread, init=False)

    def on_show(self) -> None:
        """Read once there is something to be seen."""
        self.reread()

    # what is listed

    def look(self) -> None:
        """See what has become of the open chats."""
        if self.display and (self._opened() != self._seen or self._numbers != self._numbers_now):
            self.reread()

    @property
    def _numbers_now(self) -> list[int | None]:
        """Those of the open chats in the history: a new one has none before it is asked."""
        return [chat.number for chat, _ in self._opened()]

    def reread(self) -> None:
        """List what is on the disk now; what is said of open chats is shown at once."""
        if not self.display:
            return
        if self._feed is None or (self._found is not None and self._numbers == self._numbers_now):
            self._write()
        self._ask(min(self._found.limit, self._list.n_seen + PAGE) if self._found else PAGE)

    def _ask(self, limit: int) -> None:
        if self._feed is not None:
            self._feed.wish(Wish("", limit, is_after_writing=True))

    def _take(self, _: Wish, found: Found) -> None:
        self._found = found
        self._write()
        if self._is_ending:
            self.action_last()

    def _fail(self, error: Exception) -> None:
        self._is_ending = False
        self.notify(error_line(error), severity="error", markup=False)

    def _write(self) -> None:
        """Show what is known; another chat on the screen is gone to."""
        self._seen, self._numbers = self._opened(), self._numbers_now
        infos = [row.info for row in self._found.rows] if self._found else []
        now = time.time()
        rows = arranged(infos, self._seen, now, self._feed is not None)
        here, self._here = self._here, _here(rows)
        row = self._list.chosen
        is_left = row is not None and here == self._here
        self._list.show(rows, row.info.id if row and is_left else self._here, now)

    @on(ChatList.Highlighted)
    @on(ChatList.Scrolled)
    def _load_more(self) -> None:
        """Read further before the end is reached."""
        found, feed = self._found, self._feed
        if found and feed and not found.is_all and self._list.is_near_end and not feed.is_busy:
            self._ask(2 * found.limit)

    # what the person does

    def take_keys(self) -> None:
        """Have the focus until it goes elsewhere, and begin at the chat that is on the screen."""
        self.can_focus = True
        self.focus()
        place = self._list.place_of(self._here)
        if place is not None:
            self._list.highlighted = place
        self.reread()

    def on_blur(self) -> None:
        """Be passed over by Tab; but not because another window has the focus."""
        if self.app.app_focus:
            self.can_focus = False

    async def on_key(self, event: events.Key) -> None:
        """Look for what is typed among all chats."""
        if event.is_printable and event.character and not event.key.startswith("alt+"):
            event.stop()
            await self._seek(event.character)

    @on(ChatList.Chosen)
    async def action_choose(self) -> None:
        """Open the highlighted chat; it may be gone by now."""
        row = self._list.chosen
        if isinstance(row, SideRow):
            await self._choose(row)
            self.reread()

    def action_leave(self) -> None:
        """Go back to the prompt."""
        self._leave()

    async def action_seek(self) -> None:
        """Look for something among all chats."""
        await self._seek("")

    async def _seek(self, words: str) -> None:
        await self.run_action(f"screen.act('search', {words!r})")

    def action_move(self, steps: int) -> None:
        """Highlight the chat so many rows further down, or up."""
        self._list.move(steps)

    def action_page(self, pages: int) -> None:
        """Highlight a chat pages away."""
        self._list.move_pages(pages)

    def action_first(self) -> None:
        """Highlight the first chat."""
        self._list.move(-len(self._list.rows))

    def action_last(self) -> None:
        """Highlight the last chat, when all are read."""
        self._is_ending = self._found is not None and not self._found.is_all
        if self._is_ending:
            self._ask(ALL)
        else:
            self._list.move(len(self._list.rows))


def _here(rows: Sequence[ChatRow]) -> int | None:
    """Return the chat that is on the screen, if it is among these."""
    shown = (row for row in rows if isinstance(row, SideRow) and row.label is not None)
    return next((row.info.id for row in shown if row.label and row.label.is_current), None)
