"""The preview of a chat beside the list, read behind its back."""

from __future__ import annotations

from typing import TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from app.history import History, Hit
from app.tui.background.newest import Newest
from app.tui.chats.preview import Preview, message_of, preview_of
from app.tui.failures import error_line

PAUSE_S = 0.08

Wanted: TypeAlias = tuple[int, Hit | None]
"""A chat, and what a search found in it."""


class ChatPreview(Vertical):
    """The preview beside the list; it never takes the focus."""

    DEFAULT_CSS = """
    ChatPreview {
        padding: 0 2;
        .preview--head { height: auto; max-height: 4; margin-bottom: 1; }
        VerticalScroll {
            height: 1fr;
            scrollbar-size-vertical: 1;
            scrollbar-color: $panel-lighten-2;
            scrollbar-background: $background;
        }
        .preview--body { height: auto; }
    }
    """

    def __init__(self, history: History) -> None:
        super().__init__()
        self._wanted: Wanted | None = None
        self._looks: Newest[Wanted, Preview] = Newest(
            lambda wanted: preview_of(history.chat(wanted[0]), wanted[1]),
            self._look,
            self._fail,
            self.run_worker,
            PAUSE_S,
        )
        self._head = Static(classes="preview--head", markup=False)
        self._body = Static(classes="preview--body", markup=False)
        self._scroll = VerticalScroll(self._body, can_focus=False)

    def compose(self) -> ComposeResult:
        """Head, messages."""
        yield self._head
        yield self._scroll

    def show(self, chat: int | None, hit: Hit | None = None) -> None:
        """Show a chat as soon as it is read, its end first or what was found; None: nothing."""
        self._wanted = None if chat is None else (chat, hit)
        if self._wanted is None:
            self._looks.forget()
            self._write(Preview(Content(""), Content("")))
        elif self.display:
            self._looks.wish(self._wanted)

    def _look(self, wanted: Wanted, preview: Preview) -> None:
        if wanted == self._wanted:
            self._write(preview)

    def _write(self, preview: Preview) -> None:
        self._head.update(preview.head)
        self._body.update(preview.body)
        is_found = self._wanted is not None and message_of(self._wanted[1]) is not None
        (self._scroll.scroll_home if is_found else self._scroll.scroll_end)(animate=False)

    def _fail(self, error: Exception) -> None:
        self.notify(error_line(error), severity="error", markup=False)
