"""The chats, or those in the archive: found while typing, looked into, opened, renamed, pinned, put
away, exported, imported.

The search field keeps the focus, but while a title is typed. What is deleted or archived here comes
back, last first, as long as the screen is open; from the deleted chats (deleted.py) and from the
archive also later.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from app.history import ChatInfo, History, Hit
from app.terminal.sanitise import one_line
from app.tui.background.starting import start
from app.tui.chats.chat_files import told_of_import
from app.tui.chats.chat_row import ChatRow
from app.tui.chats.putting_away import PuttingAway, called
from app.tui.keys.keymap import told
from app.tui.keys.offered import Offered
from app.tui.keys.screen_keys import bound
from app.tui.screens.deleted import Became, DeletedScreen
from app.tui.screens.file_ask import ExportScreen, ImportScreen
from app.tui.screens.left_once import LeftOnce
from app.tui.toasts import ToastingApp
from app.tui.tones import DIM
from app.tui.widgets.chat_browser import ChatBrowser
from app.tui.widgets.chat_preview import ChatPreview
from app.tui.widgets.screen_footer import ScreenFooter
from app.tui.widgets.search import Search

WIDE = 110
PUT_AWAY = ("delete", "delete_key", "archive", "unarchive")
OF_A_CHAT = ("open", "rename", "pin", "unpin", "export", *PUT_AWAY)
"""Actions that need one."""
WHILE_RENAMING = ("save", "keep")


class ChatsScreen(LeftOnce[int | None]):
    """All chats; its result is the one to open, None if nothing changes.

    found: where to open it, if a search found it. away: what was done to others.
    """

    CSS_PATH = "chats.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "Save", priority=True),
        Binding("enter", "open", "Open", priority=True),
        bound("chats-rename", "rename", priority=True),
        bound("chats-pin", "pin", priority=True),
        bound("chats-pin", "unpin", "Unpin", priority=True),
        bound("chats-delete", "delete", priority=True),
        Binding("delete", "delete_key", "Delete", priority=True, show=False),
        bound("chats-archive", "archive", priority=True),
        bound("chats-archive", "unarchive", "Bring back", priority=True),
        bound("chats-undo", "undo", priority=True),
        bound("chats-archived", "others", priority=True, show=False),
        bound("chats-deleted", "deleted", priority=True, show=False),
        bound("chats-export", "export", priority=True),
        bound("chats-import", "import", priority=True),
        Binding("escape", "keep", "Cancel", priority=True),
        Binding("escape", "back", "Back", priority=True),
        Binding("up", "move(-1)", "Up", priority=True, show=False),
        Binding("down", "move(1)", "Down", priority=True, show=False),
        Binding("pageup", "page(-1)", "Page up", priority=True, show=False),
        Binding("pagedown", "page(1)", "Page down", priority=True, show=False),
        Binding("ctrl+home", "first", "First", priority=True, show=False),
        Binding("ctrl+end", "last", "Last", priority=True, show=False),
    ]

    def __init__(
        self,
        history: History,
        current: int | None,
        clock: Callable[[], float] = time.time,
        words: str = "",
    ) -> None:
        """current: the chat that is open. clock: seconds since 1970. words: searched at once."""
        super().__init__(classes="-own-ctrl-p")
        self.found: Hit | None = None
        self._words = words
        self._history, self._current, self._clock = history, current, clock
        self._title = Static(id="title", markup=False)
        self._search = Search()
        self._browser = ChatBrowser(history, current, clock)
        self._preview = ChatPreview(history)
        self.away = PuttingAway(history)
        self._offered = Offered(self, (*OF_A_CHAT, *WHILE_RENAMING, "undo"))

    def compose(self) -> ComposeResult:
        """Title, search, list, preview."""
        yield self._title
        yield self._search
        with Horizontal(id="body"):
            yield self._browser
            yield self._preview
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Let words be typed at once, or search for those that were."""
        self._search.focus()
        self._search.value = self._words
        self._search.cursor_position = len(self._words)

    # what is shown

    def on_resize(self) -> None:
        """Fit to the new width."""
        self.call_after_refresh(self._on_changed)

    @on(ChatBrowser.Changed)
    def _on_changed(self) -> None:
        self._show_title()
        row = self._browser.chosen
        self._preview.show(row.info.id if row else None, row.hit if row else None)
        self._offered.look()

    def _show_title(self) -> None:
        width = self._title.content_size.width
        is_archive = self._browser.is_archive
        self._search.placeholder = "Search the archive" if is_archive else "Search the chats"
        title = Content.styled("Archive" if is_archive else "Chats", "bold $primary")
        status = Content.styled(told(self, self._browser.status), DIM)
        gap = " " * max(1, width - title.cell_length - status.cell_length)
        self._title.update(Content.assemble(title, gap, status).truncate(width, ellipsis=True))

    # what the person does

    @on(Input.Changed, "#search")
    def _on_typed(self, event: Input.Changed) -> None:
        self._browser.search(event.value)

    @on(ChatBrowser.Chosen)
    def _on_chosen(self, event: ChatBrowser.Chosen) -> None:
        self.found = event.hit
        is_as_it_is = event.chat == self._current and event.hit is None
        self._leave(None if is_as_it_is else event.chat)

    def action_back(self) -> None:
        """Go back to the chat as it is."""
        self._leave(None)

    def _leave(self, chat: int | None) -> None:
        """End with the chat that is to be shown; what names keys of this screen goes with it."""
        if self.away.can_undo:
            cast(ToastingApp, self.app).forget_told()
        self.dismiss(chat)

    def action_move(self, steps: int) -> None:
        """Highlight another chat."""
        self._browser.move(steps)

    def action_page(self, pages: int) -> None:
        """Highlight a chat pages away."""
        self._browser.move_pages(pages)

    def action_first(self) -> None:
        """Highlight the first chat."""
        self._browser.move_to_start()

    def action_last(self) -> None:
        """Highlight the last chat of all."""
        self._browser.move_to_end()

    def action_open(self) -> None:
        """Open the chat."""
        self._browser.choose()

    def action_rename(self) -> None:
        """Let another title be typed."""
        self._browser.begin_renaming()
        self._offered.look()

    def action_save(self) -> None:
        """Give the chat the title that was typed."""
        typed = self._browser.end_renaming()
        if typed is not None:
            chat, title = typed
            self._history.rename(chat, title)
            self._browser.change(chat, lambda row: row.titled(one_line(title)))
        self._done_renaming()

    def action_keep(self) -> None:
        """Keep the title as it was."""
        self._browser.end_renaming()
        self._done_renaming()

    @on(ChatBrowser.GaveUp)
    def _done_renaming(self) -> None:
        self._search.focus()
        self._offered.look()

    def action_pin(self) -> None:
        """List the chat first, or by its time again."""
        info = self._chosen().info
        (self._history.unpin if info.pinned else self._history.pin)(info.id)
        self._browser.change(info.id, lambda row: row.pinned(not info.pinned))

    action_unpin = action_pin

    def action_delete(self) -> None:
        """Delete the chat; it can be brought back."""
        self._put_away(self.away.delete)

    action_delete_key = action_delete

    def action_archive(self) -> None:
        """Put the chat into the archive, or bring it back."""
        self._put_away(self.away.archive)

    action_unarchive = action_archive

    def _put_away(self, put: Callable[[ChatInfo], str]) -> None:
        info = self._chosen().info
        became = told(self, put(info))
        self._browser.change(info.id, lambda row: None)
        self.notify(f"{called(info)} {became}", markup=False)
        self._offered.look()

    def action_undo(self) -> None:
        """Bring back what was put away last, and show it."""
        step = self.away.undo()
        self._browser.look_at(step.of_archive, step.chat)
        self.notify("It is back.")
        self._offered.look()

    def action_others(self) -> None:
        """List what is archived, or what is not."""
        self._browser.look_at(not self._browser.is_archive)

    def action_deleted(self) -> None:
        """Show what was deleted, to restore or to erase it."""
        self.app.clear_notifications()  # they would hide what is said there
        self.app.push_screen(DeletedScreen(self._history, self._clock), self._on_became)

    def _on_became(self, became: Became | None) -> None:
        assert became is not None, "it always says"
        self.away.erased.update(became.erased)
        self.away.forget((*became.restored, *became.erased))
        self._browser.reread(go_to=became.restored[-1] if became.restored else None)

    def action_export(self) -> None:
        """Save the chat as a file."""
        info = self._chosen().info
        self.app.push_screen(ExportScreen(self._history, info.id, info.title), self._on_exported)

    def _on_exported(self, path: Path | None) -> None:
        if path is not None:
            self.notify(one_line(str(path)), title="Exported to", markup=False)

    def action_import(self) -> None:
        """Bring chats in from a file."""
        start(self, self._import)

    async def _import(self) -> None:
        found = await self.app.push_screen_wait(ImportScreen(self._history))
        if found is None:
            return
        if found.chats:
            self._search.value = ""
            self._browser.search("")
            self._browser.look_at(found.n_archived == len(found.chats), found.chats[0])
        self.notify(told_of_import(found))

    def _chosen(self) -> ChatRow:
        row = self._browser.chosen
        assert row is not None, "check_action has seen it"
        return row

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        if action in WHILE_RENAMING or self._browser.is_renaming:
            return action in WHILE_RENAMING and self._browser.is_renaming
        row = self._browser.chosen
        if action == "undo":
            return self.away.can_undo
        if action == "others":
            return self._browser.has_archived or self._browser.is_archive
        if action == "deleted":
            return self._browser.has_deleted
        if action in OF_A_CHAT and row is None:
            return False
        if action in ("pin", "unpin"):
            return row is not None and row.info.pinned == (action == "unpin")
        if action in ("archive", "unarchive"):
            return row is not None and row.info.archived == (action == "unarchive")
        if action == "delete_key":
            return not self._search.has_more_to_delete
        return True
