"""The deleted chats: looked into, restored, or erased at once.

They stay on the disk until the history erases them (DELETED_FOR_S), and this screen says so. What
is erased here is asked about first. Its result is what became of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from app.errors import HistoryError
from app.files.pictures import YOUNG_S
from app.history import DELETED_FOR_S, ChatInfo, History
from app.sizes import counted
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.chats.chat_feed import PATIENCE_S
from app.tui.chats.chat_row import DAY_S, ChatRow, header
from app.tui.chats.putting_away import called
from app.tui.failures import error_line
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import LETTERS, ViKeys
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.left_once import LeftOnce
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.chat_preview import ChatPreview
from app.tui.widgets.screen_footer import ScreenFooter

WIDE = 110
KEPT = (
    f"Deleted chats stay on this machine's disk for {DELETED_FOR_S // DAY_S} days at least, and a "
    "start after that erases them. Erase one, or all, to have no message of them left now."
)
NOTHING = "No chat is deleted."
GOING = "Every message goes from the disk at once, and nothing brings it back."
FOLLOWS = (
    "A picture that was in use a moment ago follows in some minutes, or, if this window closes "
    "before, with a start a day later."
)
FOLLOW_S = YOUNG_S + 5.0
"""When it is no longer young, however its time was rounded."""
OF_A_CHAT = ("restore", "erase", "erase_all")


@dataclass(frozen=True, slots=True)
class Became:
    """Which chats were restored, the last one last, and which were erased."""

    restored: tuple[int, ...]
    erased: tuple[int, ...]


class DeletedScreen(ViKeys, LeftOnce[Became]):
    """What was deleted, the last first. Half a page has no key: one Esc up, Ctrl+D deletes."""

    VI_KEYS: ClassVar[Mapping[str, str]] = LETTERS
    CSS_PATH = "deleted.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "restore", "Restore"),
        bound("deleted-restore", "restore"),
        bound("deleted-erase", "erase"),
        bound("deleted-erase-all", "erase_all"),
        Binding("escape", "back", "Back", priority=True),
        bound("chats-deleted", "back", "Back"),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "end(-1)", "First", show=False),
        Binding("end", "end(1)", "Last", show=False),
    ]

    def __init__(self, history: History, clock: Callable[[], float]) -> None:
        """clock: seconds since 1970."""
        super().__init__()
        self._history, self._clock = history, clock
        self._restored: tuple[int, ...] = ()
        self._erased: tuple[int, ...] = ()
        self._title = Static(Content.styled("Deleted chats", "bold $primary"), id="title")
        self._columns = Static(id="columns", markup=False)
        self._list = ChatList(None)
        self._empty = Static(NOTHING, id="empty", markup=False)
        self._preview = ChatPreview(history)

    def compose(self) -> ComposeResult:
        """Title, what is kept how long, list, preview."""
        yield self._title
        yield Static(KEPT, id="kept", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="rows"):
                yield self._columns
                yield self._list
                yield self._empty
            yield self._preview
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Read when all is painted."""
        self._empty.display = False
        start(self, self._read)

    # what is shown

    async def _read(self) -> None:
        def read() -> list[ChatInfo]:
            self._history.flush(PATIENCE_S)
            return self._history.deleted()

        try:
            self._show([ChatRow(info) for info in await in_thread(read)])
        except Exception as error:
            self.notify(error_line(error), severity="error", markup=False)

    def _show(self, rows: Sequence[ChatRow]) -> None:
        chosen = self._list.chosen
        self._list.show(rows, chosen.info.id if chosen else None, self._clock())
        self._list.display = self._columns.display = bool(rows)
        self._empty.display = not rows
        self.on_resize()
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Fit the names of the columns to the width when it is known."""
        self.call_after_refresh(self._show_columns)

    def _show_columns(self) -> None:
        self._columns.update(header(self._list.scrollable_content_region.width, "left"))

    @on(ChatList.Highlighted)
    def _on_highlighted(self) -> None:
        row = self._list.chosen
        self._preview.show(row.info.id if row else None)

    # what the person does

    def action_restore(self) -> None:
        """Put the chat back among the others."""
        info = self._chosen()
        self._history.undelete(info.id)
        self._restored = (*self._restored, info.id)
        self._take_out({info.id})
        where = "in the archive" if info.archived else "among the chats"
        self.notify(f"{called(info)} is {where} again.", markup=False)

    @on(ChatList.Chosen)
    def _on_chosen(self) -> None:
        self.action_restore()

    def action_erase(self) -> None:
        """Erase the chat, when the person has seen what goes and what stays."""
        info = self._chosen()
        self._ask(f"Erase {called(info)} for good?", (info.id,))

    def action_erase_all(self) -> None:
        """Erase all that is listed, when the person has seen what goes and what stays."""
        chats = tuple(row.info.id for row in self._list.rows)
        self._ask(f"Erase {counted(len(chats), 'deleted chat')} for good?", chats)

    def _ask(self, question: str, chats: tuple[int, ...]) -> None:
        def erase(is_wanted: bool | None) -> None:
            if is_wanted:
                self._erased = (*self._erased, *chats)
                start(self, self._erase, chats)

        lines = [GOING, "", *elsewhere()]
        self.app.push_screen(ConfirmScreen(question, lines, "Erase", "Keep"), erase)

    async def _erase(self, chats: tuple[int, ...]) -> None:
        try:
            revived = await in_thread(lambda: self._history.erase(chats))
        except HistoryError as error:
            self.notify(error_line(error), severity="error", markup=False)
            return
        self._take_out(set(chats))
        _follow_up(self.app, self._history)
        if revived:
            are = "is" if len(revived) == 1 else "are"
            back = f"{counted(len(revived), 'chat')} {are} in use in another window again"
            self.notify(f"{back}: not erased.", severity="warning", markup=False)
        else:
            self.notify(f"Erased. {FOLLOWS}" if self._history.album.spared else "Erased.")

    def _take_out(self, chats: set[int]) -> None:
        self._show([row for row in self._list.rows if row.info.id not in chats])

    def action_move(self, steps: int) -> None:
        """Highlight another chat."""
        self._list.move(steps)

    def action_page(self, pages: int) -> None:
        """Highlight a chat pages away."""
        self._list.move_pages(pages)

    def action_end(self, way: int) -> None:
        """Highlight the first chat, or the last."""
        self._list.move(way * len(self._list.rows))

    def action_back(self) -> None:
        """Go back to the chats."""
        self.dismiss(Became(self._restored, self._erased))

    def _chosen(self) -> ChatInfo:
        row = self._list.chosen
        assert row is not None, "check_action has seen it"
        return row.info

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        return action not in OF_A_CHAT or self._list.chosen is not None


def _follow_up(app: App[Any], history: History) -> None:
    """Have the pictures that were spared go, too, once they may; the screen may be left by then."""

    def look() -> None:
        history.tidy()
        _follow_up(app, history)

    if history.album.spared:
        app.set_timer(FOLLOW_S, look)


def elsewhere() -> list[str]:
    """Say what is kept beside the chats, and how to be rid of it."""
    return [
        "Two things are kept beside the chats, and stay:",
        "· what you typed, which Up brings back: /forget-prompts forgets it;",
        "· answers that the lookup guesses from: `slipstream memory clear` removes them.",
    ]
