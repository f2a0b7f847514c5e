"""What the list of chats shows: all of them, or those that a search found. Read in threads.

Every page begins at the first chat, so a chat that moves while one scrolls is neither lost nor
shown twice; pages double, so that all of them together cost twice the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.history import History
from app.tui.chat_row import ChatRow

PAGE, ALL = 50, 1_000_000
MOST_FOUND = 20_000
PATIENCE_S = 1.0
"""How long what was written is waited for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be read. words: searched for, "" for all chats; limit: at most so many rows.

    is_after_writing: what was just written is to be seen.
    """

    words: str
    limit: int
    is_after_writing: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was read. is_all: there are no more; is_saved: what was written is on the disk.

    n_deleted: how many chats could be brought back.
    """

    words: str
    limit: int
    rows: tuple[ChatRow, ...]
    is_all: bool
    is_saved: bool = True
    n_deleted: int = 0

    @property
    def status(self) -> str:
        """How many there are, as far as is known."""
        n = f"{len(self.rows)}{'' if self.is_all else '+'}"
        if self.words:
            return f"{n} found"
        chats = [f"{n} chat{'' if len(self.rows) == 1 else 's'}"] if self.rows else []
        deleted = [f"{self.n_deleted} deleted: {{chats-deleted}}"] if self.n_deleted else []
        return " · ".join([*chats, *deleted])


def read(history: History, wish: Wish) -> Found:
    """Read what is wished. Raises HistoryError."""
    is_saved = not wish.is_after_writing or history.flush(PATIENCE_S)
    if wish.words:
        hits = history.search(wish.words, min(wish.limit, MOST_FOUND))
        rows = tuple(ChatRow(hit.chat, hit) for hit in hits)
    else:
        rows = tuple(map(ChatRow, history.chats(wish.limit)))
    is_all = len(rows) < wish.limit or wish.limit >= ALL
    return Found(wish.words, wish.limit, rows, is_all, is_saved, history.n_deleted())
