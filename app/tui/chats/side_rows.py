"""The chats as the list beside the chat shows them: the pinned ones first, then each below its day.

    ▌ What is a path?         ◌     on the screen; ◌: an answer is running there
    · Names                   ●     open; ●: an answer ended unseen
      Bisect

Pure. An open chat that is not among those that were read has a row as long as it is open: one of
which nothing is kept, as a private one, and, below a heading of their own, old and archived ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from textual.content import Content

from app.history import ChatInfo
from app.terminal.sanitise import one_line
from app.tui.chats.chat_row import UNTITLED, ChatRow
from app.tui.chats.open_chats import NEWS, RUNS, Label, OpenChat
from app.tui.tones import DIM

HERE, OPEN = "▌", "·"
PINNED, NOT_KEPT, NOT_LISTED = "Pinned", "Not kept", "Open"
WEEK = 7
NO_CHAT = 0
"""Where a chat's number is wanted and there is no chat."""


@dataclass(frozen=True, slots=True)
class SideRow(ChatRow):
    """opened, label: as what it is open, and what is said of it; None where it is not."""

    opened: OpenChat | None = None
    label: Label | None = None

    def lines(self, width: int, now: float, is_open: bool) -> list[Content]:
        """Return the row: one line."""
        here = self.label is not None and self.label.is_current
        mark = (HERE, "$primary") if here else (OPEN if self.label else " ", DIM)
        news = Content()
        if self.label is not None and self.label.runs:
            news = Content.styled(f" {RUNS}", "$primary")
        elif self.label is not None and self.label.has_news:
            news = Content.styled(f" {NEWS}", "$success")
        room = max(1, width - 2 - news.cell_length)
        title = Content(one_line(self.info.title))
        title = title if title.plain else Content.styled(UNTITLED, DIM)
        title = title.truncate(room, ellipsis=True)
        title = title.stylize("bold") if here else title
        gap = " " * (room - title.cell_length)
        return [Content.assemble(mark, " ", title, gap, news).truncate(max(0, width))]


@dataclass(frozen=True, slots=True)
class Heading(ChatRow):
    """A line that no key goes to. words: the day of the chats below it."""

    words: str = ""

    def lines(self, width: int, now: float, is_open: bool) -> list[Content]:
        """Return the line."""
        words = Content.styled(self.words, "bold $primary")
        return [words.truncate(max(0, width), ellipsis=True)]


def arranged(
    infos: Sequence[ChatInfo],
    opened: Sequence[tuple[OpenChat, Label]],
    now: float,
    is_kept: bool,
) -> tuple[ChatRow, ...]:
    """Return the lines. infos: in their order; is_kept: what is new here will be among them."""
    numbered = {chat.number: (chat, label) for chat, label in opened}
    first = day(now, now) if is_kept else NOT_KEPT
    new: list[tuple[str, SideRow]] = [
        (first, SideRow(_info(-place, label.title), None, chat, label))
        for place, (chat, label) in enumerate(opened, 1)
        if chat.number is None
    ]
    listed = {info.id for info in infos}
    unlisted = [
        (NOT_LISTED, SideRow(_info(chat.number, label.title), None, chat, label))
        for chat, label in opened
        if chat.number is not None and chat.number not in listed
    ]
    pinned = [(PINNED, _row(info, numbered)) for info in infos if info.pinned]
    others = [
        (day(info.updated_at, now), _row(info, numbered)) for info in infos if not info.pinned
    ]
    return tuple(_headed([*pinned, *unlisted, *new, *others]))


def day(at: float, now: float) -> str:
    """Return what the day is called, or the month if it is a week ago or longer."""
    return _named(date.fromtimestamp(at), date.fromtimestamp(now))


@lru_cache(1000)
def _named(then: date, today: date) -> str:
    n_days = (today - then).days
    if n_days < WEEK:
        return "Today" if n_days < 1 else "Yesterday" if n_days == 1 else f"{then:%A}"
    return f"{then:%B}" if then.year == today.year else f"{then:%B %Y}"


def _row(info: ChatInfo, numbered: dict[int | None, tuple[OpenChat, Label]]) -> SideRow:
    return SideRow(info, None, *numbered.get(info.id, (None, None)))


def _headed(rows: Sequence[tuple[str, SideRow]]) -> Iterator[ChatRow]:
    before = ""
    for words, row in rows:
        if words != before:
            yield Heading(_info(NO_CHAT, ""), None, words)
        before = words
        yield row


def _info(number: int, title: str) -> ChatInfo:
    return ChatInfo(number, title, False, 0.0, 0.0, False, "", 0)
