"""What was said last in a chat, at a length that never makes anybody wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from app.chat.gain import gain
from app.history import Chat, History, StoredMessage
from app.sizes import counted
from app.terminal.sanitise import one_line, sanitise
from app.thoughts import without_thinking
from app.tui.background.newest import Newest
from app.tui.chats.chat_row import UNTITLED
from app.tui.failures import error_line
from app.tui.models.pair_view import DIM

MOST_MESSAGES = 8
PAUSE_S = 0.08
LONGEST = 1000
"""Characters that are shown of a message; READ are looked at."""
READ = 20_000


@dataclass(frozen=True, slots=True)
class Preview:
    """head: title and figures; body: the last messages of the branch that is shown."""

    head: Content
    body: Content


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
        self._chat: int | None = None
        self._looks: Newest[int, Preview] = Newest(
            lambda chat: preview_of(history.chat(chat)),
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

    def show(self, chat: int | None) -> None:
        """Show a chat as soon as it is read, its end first; None: nothing."""
        self._chat = chat
        if chat is None:
            self._looks.forget()
            self._write(Preview(Content(""), Content("")))
        elif self.display:
            self._looks.wish(chat)

    def _look(self, chat: int, preview: Preview) -> None:
        if chat == self._chat:
            self._write(preview)

    def _write(self, preview: Preview) -> None:
        self._head.update(preview.head)
        self._body.update(preview.body)
        self._scroll.scroll_end(animate=False)

    def _fail(self, error: Exception) -> None:
        self.notify(error_line(error), severity="error", markup=False)


def preview_of(chat: Chat) -> Preview:
    """Return what is shown of a chat."""
    path = chat.path()
    last, are_pairs_told = path[-MOST_MESSAGES:], chat.are_pairs_told
    parts = [_said(message, are_pairs_told) for message in last]
    earlier = len(path) - len(last)
    if earlier:
        parts.insert(0, Content.styled(f"… {earlier} earlier messages", DIM))
    if not parts:
        parts = [Content.styled("Nothing was said in it yet.", DIM)]
    title = one_line(chat.info.title, 120) or UNTITLED
    head = Content.assemble((title, "bold"), "\n", (about(chat), DIM))
    return Preview(head, Content("\n\n").join(parts))


def about(chat: Chat) -> str:
    """Return in one line what a chat is: its pair, how much was asked, how fast, when, branches."""
    path = chat.path()
    asked = counted(sum(message.role == "user" for message in path), "question")
    followed = {message.parent for message in chat.messages}
    n_branches = sum(message.id not in followed for message in chat.messages)
    branches = f"{n_branches} branches" if n_branches > 1 else ""
    parts = (one_line(chat.info.pair, 60), asked, _speed(path), _dates(chat), branches)
    return " · ".join(part for part in parts if part)


def _speed(path: Sequence[StoredMessage]) -> str:
    """Return the medians of the answers that were measured, "" if none was."""
    measured = [message.figures.stats for message in path if message.figures.stats is not None]
    tps = [stats.decode_tps for stats in measured if stats.decode_tps is not None]
    gains = [factor for stats in measured if stats.drafted and (factor := gain(stats)) is not None]
    parts = [f"{median(tps):.0f} tok/s"] if tps else []
    parts += [f"≈{median(gains):.1f}\N{MULTIPLICATION SIGN} plain"] if gains else []
    return ", ".join(parts)


def _dates(chat: Chat) -> str:
    """Return when it began, and when it was last gone on with, if that was another day."""
    first, last = (
        time.strftime("%d %b %Y", time.localtime(at)).lstrip("0")
        for at in (chat.info.created_at, chat.info.updated_at)
    )
    return first if first == last else f"{first} to {last}"


def _said(message: StoredMessage, is_pair_told: bool) -> Content:
    is_question = message.role == "user"
    text = message.content[:READ]
    text = sanitise(text if is_question else without_thinking(text)).expandtabs(4).strip()
    if len(text) > LONGEST or len(message.content) > READ:
        text = text[: LONGEST - 1].rstrip() + "…"
    pair = one_line(message.pair, 60) if is_pair_told else ""
    who = Content.styled("You", "bold $primary") if is_question else _answered(message, pair)
    return Content.assemble(who, "\n", text)


def _answered(message: StoredMessage, pair: str) -> Content:
    """Return the heading of an answer, which says if it did not come to its end.

    pair: which one wrote it, "" where that is not told.
    """
    name = Content.styled("Answer", "bold $accent")
    if pair:
        name = Content.assemble(name, (f"  {pair}", DIM))
    if message.skipped:
        name = Content.assemble(name, ("  left out", DIM))
    if message.reason == "stop":
        return name
    why = one_line(message.error or message.reason or "interrupted", 120)
    return Content.assemble(name, "  ", (why, "$warning"))
