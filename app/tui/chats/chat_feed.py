"""What the list of chats shows: all of them, or those that a search found. Read in threads.

Every page begins at the first chat, so a chat that moves while one scrolls is neither lost nor
shown twice; pages double, so that all of them together cost twice the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.history import History
from app.tui.chats.chat_row import ChatRow

PAGE, ALL = 50, 1_000_000
MOST_FOUND = 20_000
PATIENCE_S = 1.0
"""How long what was written is waited for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be read. words: searched for, "" for all chats; limit: at most so many rows.

    is_after_writing: what was just written is to be seen. archived: those in the archive, and no
    others.
    """

    words: str
    limit: int
    is_after_writing: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was read. is_all: there are no more; is_saved: what was written is on the disk.

    n_deleted: how many chats could be brought back; n_archived: how many are in the archive;
    archived: whether these are. n_others: how many the archive, or else the chats, have where there
    is nothing found here, one more than PAGE if they are more than that.
    """

    words: str
    limit: int
    rows: tuple[ChatRow, ...]
    is_all: bool
    is_saved: bool = True
    n_deleted: int = 0
    n_archived: int = 0
    archived: bool = False
    n_others: int = 0

    @property
    def status(self) -> str:
        """How many there are, as far as is known, and where others are."""
        n = f"{len(self.rows)}{'' if self.is_all else '+'}"
        chats = [f"{n} chat{'' if len(self.rows) == 1 else 's'}"] if self.rows else []
        chats = [f"{n} found"] if self.words else chats
        if self.archived:
            return " · ".join([*chats, "the others: {chats-archived}"])
        if self.words:
            archive = ["the archive: {chats-archived}"] if self.n_archived else []
            return " · ".join([*chats, *archive])
        archived = [f"{self.n_archived} archived: {{chats-archived}}"] if self.n_archived else []
        deleted = [f"{self.n_deleted} deleted: {{chats-deleted}}"] if self.n_deleted else []
        return " · ".join([*chats, *archived, *deleted])


def read(history: History, wish: Wish) -> Found:
    """Read what is wished. Raises HistoryError."""
    is_saved = not wish.is_after_writing or history.flush(PATIENCE_S)
    if wish.words:
        hits = history.search(wish.words, min(wish.limit, MOST_FOUND), wish.archived)
        rows = tuple(ChatRow(hit.chat, hit) for hit in hits)
    else:
        rows = tuple(map(ChatRow, history.chats(wish.limit, archived=wish.archived)))
    is_all = len(rows) < wish.limit or wish.limit >= ALL
    n_deleted, n_archived, n_others = history.n_deleted(), history.n_archived(), 0
    if wish.words and not rows and (n_archived or wish.archived):
        n_others = len(history.search(wish.words, PAGE + 1, not wish.archived))
    return Found(
        wish.words,
        wish.limit,
        rows,
        is_all,
        is_saved,
        n_deleted,
        n_archived,
        wish.archived,
        n_others,
    )
