"""The chats that are listed or found, page by page, with the field to rename one in its row.

It reads the history in a thread and shows the newest wish. What the person changes is shown at
once, and then as the history has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.history import History, Hit
from app.terminal.sanitise import one_line
from app.tui.background.newest import Newest
from app.tui.chats.chat_feed import ALL, PAGE, Found, Wish, read
from app.tui.chats.chat_row import MARGIN, ChatRow, header, title_width
from app.tui.failures import error_line
from app.tui.keys.keymap import told
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.rename import Rename

NO_CHATS = "No chats yet. What you ask is kept, and is found here."
ALL_ARCHIVED = "All chats are archived: {chats-archived} shows them."
NONE_ARCHIVED = "No chat is archived. {chats-archived} shows the others."
UNSAVED = "What was done last is not on the disk yet: this list is as it was before."


class ChatBrowser(Vertical):
    """The list with its columns' names, or why it is empty."""

    DEFAULT_CSS = """
    ChatBrowser {
        layers: below above;
        .browser--columns { height: 1; color: $foreground-muted; text-style: bold; }
        .browser--empty { height: 1fr; display: none; padding: 1 3; color: $foreground-muted; }
    }
    """

    @dataclass
    class Changed(Message):
        """Another chat is highlighted, or other chats are listed."""

    @dataclass
    class Chosen(Message):
        """A chat is to be opened. hit: what a search found in it, None in a list of all."""

        chat: int
        hit: Hit | None = None

    @dataclass
    class GaveUp(Message):
        """No title is being typed any more."""

    def __init__(self, history: History, current: int | None, clock: Callable[[], float]) -> None:
        """current: the chat that is open. clock: seconds since 1970."""
        super().__init__()
        self._clock = clock
        self._columns = Static(classes="browser--columns", markup=False)
        self._list = ChatList(current)
        self._empty = Static(classes="browser--empty", markup=False)
        self._rename = Rename()
        self._feed: Newest[Wish, Found] = Newest(
            partial(read, history), self._take, self._fail, self.run_worker
        )
        self._wish = Wish("", PAGE, is_after_writing=True)
        self._found: Found | None = None
        self._going_to = current
        self._is_choosing = False
        self._is_ending = False

    def compose(self) -> ComposeResult:
        """Columns, rows."""
        yield self._columns
        yield self._list
        yield self._empty
        yield self._rename

    def on_mount(self) -> None:
        """Read when all is painted."""
        self._feed.wish(self._wish)

    @property
    def status(self) -> str:
        """How many chats there are, as far as is known."""
        return self._found.status if self._found else ""

    @property
    def has_deleted(self) -> bool:
        """Whether there are chats that could be brought back, as far as is known."""
        return self._is_unsure or bool(self._found and self._found.n_deleted)

    @property
    def is_archive(self) -> bool:
        """Whether these are the archived chats."""
        return bool(self._found and self._found.archived)

    @property
    def has_archived(self) -> bool:
        """Whether the archive has any chats, as far as is known."""
        return self._is_unsure or bool(self._found and self._found.n_archived)

    @property
    def _is_unsure(self) -> bool:
        """Whether something was written that is not read yet."""
        return self._wish.is_after_writing

    @property
    def chosen(self) -> ChatRow | None:
        """The highlighted chat."""
        return self._list.chosen

    @property
    def is_renaming(self) -> bool:
        """Whether a title is being typed."""
        return self._rename.chat is not None

    # what is listed

    def search(self, typed: str) -> None:
        """List what is found, all if nothing is typed."""
        words = typed.lstrip()
        if words != self._wish.words:
            self._is_choosing = self._is_ending = False
            self._ask(words, PAGE)

    def reread(self, go_to: int | None = None) -> None:
        """List what was just written, and go to a chat if it is there."""
        self._going_to = go_to
        self._wish = replace(self._wish, is_after_writing=True)
        self._feed.wish(self._wish)

    def look_at(self, archived: bool, go_to: int | None = None) -> None:
        """List the archived chats, or the others, as `reread` does."""
        if archived != self._wish.archived:
            self._is_choosing = self._is_ending = False
            self._wish = replace(self._wish, limit=PAGE, archived=archived)
        self.reread(go_to)

    def change(self, chat: int, changed: Callable[[ChatRow], ChatRow | None]) -> None:
        """Show a chat changed, or no more (None), until it is read again."""
        rows = (changed(row) if row.info.id == chat else row for row in self._list.rows)
        row = self.chosen
        self._show(tuple(row for row in rows if row), row.info.id if row else None)
        self.reread()

    def move(self, steps: int) -> None:
        """Highlight the chat so many rows further down, or up."""
        self._list.move(steps)

    def move_pages(self, pages: int) -> None:
        """Highlight a chat so many pages further down, or up."""
        self._list.move_pages(pages)

    def move_to_start(self) -> None:
        """Highlight the first chat."""
        self._list.move(-len(self._list.rows))

    def move_to_end(self) -> None:
        """Highlight the last chat, when all are read."""
        self._is_ending = self._found is not None and not self._found.is_all
        if self._is_ending:
            self._ask(self._wish.words, ALL)
        else:
            self._list.move(len(self._list.rows))

    def choose(self) -> None:
        """Choose what is highlighted; what is being typed is searched first."""
        row = self.chosen
        self._is_choosing = self._feed.is_busy
        if row is not None and not self._is_choosing:
            self.post_message(self.Chosen(row.info.id, row.hit))

    def _ask(self, words: str, limit: int) -> None:
        self._wish = replace(self._wish, words=words, limit=limit)
        self._feed.wish(self._wish)

    def _take(self, wish: Wish, found: Found) -> None:
        """Show what was read."""
        before, self._found = self._found, found
        row, self._wish = self.chosen, replace(wish, is_after_writing=False)
        if before and not found.is_saved:
            self.notify(UNSAVED, severity="warning", markup=False)
        going_to, self._going_to = self._going_to, None
        is_other = before and (before.words, before.archived) != (found.words, found.archived)
        if is_other:
            self._list.highlighted = 0 if row else None
        elif going_to is None and row is not None:
            going_to = row.info.id
        self._show(found.rows, going_to)
        if self._is_ending:
            self.move_to_end()
        if self._is_choosing:
            self.choose()

    def _fail(self, error: Exception) -> None:
        self._is_choosing = self._is_ending = False
        self.notify(error_line(error), severity="error", markup=False)

    def _show(self, rows: tuple[ChatRow, ...], chat: int | None) -> None:
        self._list.show(rows, chat, self._clock())
        self._list.display = self._columns.display = bool(rows)
        self._empty.display = not rows and self._found is not None
        self._show_words()
        self.call_after_refresh(self._show_words)  # a list that was hidden has no width yet

    def _show_words(self) -> None:
        """Fit the names of the columns, or what is said instead of them, to the width."""
        self._columns.update(header(self._list.scrollable_content_region.width))
        words = one_line(self._found.words) if self._found else ""
        where = " in the archive" if self.is_archive else ""
        text = Content(f"Nothing found{where} for “{words}" if words else self._none())
        room = max(1, self.content_size.width - 7)
        text = text.truncate(room, ellipsis=True)
        self._empty.update(text + Content(f"”{self._others()}") if words else text)

    def _none(self) -> str:
        if self.is_archive:
            return told(self, NONE_ARCHIVED)
        is_elsewhere = self._found and self._found.n_archived
        return told(self, ALL_ARCHIVED) if is_elsewhere else NO_CHATS

    def _others(self) -> str:
        """Say how many are found where nobody looks now."""
        n = self._found.n_others if self._found else 0
        where = "among the others" if self.is_archive else "in the archive"
        many = f"{PAGE}+" if n > PAGE else n
        return told(self, f"\n\n{many} found {where}: {{chats-archived}}") if n else ""

    def _load_more(self) -> None:
        """Read further before the end is reached."""
        found = self._found
        if found and not found.is_all and self._list.is_near_end and not self._feed.is_busy:
            self._ask(found.words, 2 * found.limit)

    def on_resize(self) -> None:
        """Lay out anew when the list knows its size."""
        self.call_after_refresh(self._show_words)

    @on(ChatList.Highlighted)
    def _on_highlighted(self) -> None:
        row = self.chosen
        if row is None or row.info.id != self._rename.chat:
            self._give_up()
        self._on_scrolled()
        self.post_message(self.Changed())

    @on(ChatList.Scrolled)
    def _on_scrolled(self) -> None:
        self._place()
        self._load_more()

    @on(ChatList.Chosen)
    def _on_chosen(self) -> None:
        self.choose()

    # another title

    def begin_renaming(self) -> None:
        """Let the title of the highlighted chat be typed."""
        row = self.chosen
        if row is not None:
            self._place()
            self._rename.begin(row.info.id, one_line(row.info.title))

    def end_renaming(self) -> tuple[int, str] | None:
        """Return the chat and the title that was typed, None if nothing was being renamed."""
        chat = self._rename.chat
        return None if chat is None else (chat, self._rename.end())

    @on(Rename.Left)
    def _give_up(self) -> None:
        if self.is_renaming:
            self._rename.end()
            self.post_message(self.GaveUp())

    def _place(self) -> None:
        """Let the field lie over the title it is about, as long as that is seen."""
        y = self._list.y_of_highlighted
        if y is None:
            self._give_up()
        else:
            width = title_width(self._list.scrollable_content_region.width)
            self._rename.place(MARGIN, 1 + y, width)
