"""What was said last in a chat, at a length that never makes anybody wait."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from app.history import Chat, History, StoredMessage
from app.sanitise import one_line, sanitise
from app.thinking import without_thinking
from app.tui.chat_row import UNTITLED
from app.tui.failures import said
from app.tui.newest import Newest
from app.tui.pair_view import DIM

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
        self.notify(said(error), severity="error", markup=False)


def preview_of(chat: Chat) -> Preview:
    """Return what is shown of a chat."""
    path = chat.path()
    last = path[-MOST_MESSAGES:]
    parts = [_said(message) for message in last]
    earlier = len(path) - len(last)
    if earlier:
        parts.insert(0, Content.styled(f"… {earlier} earlier messages", DIM))
    if not parts:
        parts = [Content.styled("Nothing was said in it yet.", DIM)]
    title = one_line(chat.info.title, 120) or UNTITLED
    pair = one_line(chat.info.pair, 60)
    n = chat.info.n_messages
    about = f"{n} message{'' if n == 1 else 's'}" + (f" · {pair}" if pair else "")
    head = Content.assemble((title, "bold"), "\n", (about, DIM))
    return Preview(head, Content("\n\n").join(parts))


def _said(message: StoredMessage) -> Content:
    is_question = message.role == "user"
    text = message.content[:READ]
    text = sanitise(text if is_question else without_thinking(text)).expandtabs(4).strip()
    if len(text) > LONGEST or len(message.content) > READ:
        text = text[: LONGEST - 1].rstrip() + "…"
    who = Content.styled("You", "bold $primary") if is_question else _answered(message)
    return Content.assemble(who, "\n", text)


def _answered(message: StoredMessage) -> Content:
    """Return the heading of an answer, which says if it did not come to its end."""
    name = Content.styled("Answer", "bold $accent")
    if message.reason == "stop":
        return name
    why = one_line(message.error or message.reason or "interrupted", 120)
    return Content.assemble(name, "  ", (why, "$warning"))
