"""Chats go on where their file is no longer at its path while it is open: somebody deleted it,
moved it away, or put another in its place.

This is noticed before something is written. The file that is there by then is taken, a new one
where there is none. It gets the chats that go on here, out of the old file, which can be read as
long as it is open; and no others, for whoever deletes a file may want them gone.
"""

from __future__ import annotations

from collections.abc import Callable

from app.history.database import Database
from app.history.open_file import file_at
from app.history.reading import Reader
from app.history.store import Store
from app.sizes import counted

GONE = "{} was deleted or moved away while it was open: a new one has begun{}."
REPLACED = "{} was replaced while it was open: chats are now kept in the one that is there{}."


class GoingOn:
    """The chats that go on in this window. May be used from several threads."""

    def __init__(self, database: Database, reader: Reader) -> None:
        self._database, self._reader = database, reader
        self._file = None if database.anchor else file_at(database.path)
        self._chats: set[int] = set()

    def add(self, chat: int) -> None:
        """This one goes on."""
        self._chats.add(chat)

    def moved(self) -> tuple[Callable[[Store], None], str] | None:
        """Go over to the file that is at the path now, if it is another; return what is to be
        written there first, and a line that says so. Raises HistoryError, sqlite3.Error, OSError.
        """
        path = self._database.path
        try:
            now = file_at(path)
        except OSError:  # who knows; writing will tell
            return None
        if self._file is None or now == self._file:
            return None
        rows = self._reader.renew(frozenset(self._chats))
        self._file = file_at(path)
        n_chats = sum(table == "chats" for table, _ in rows)
        kept = f", with {counted(n_chats, 'chat')} of this window" if n_chats else ""
        line = (GONE if now is None else REPLACED).format(path, kept)
        return lambda store: store.carry(rows), line
