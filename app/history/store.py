"""What is done to the database, each in whoever's transaction it is called in. Knows no threads.

Every method raises sqlite3.Error, IntegrityError for a chat or a parent that is not there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from app.history.figures import pictures_in
from app.history.steps import MOST_ANSWERS
from app.history.title import title_of

VACUUMED_PAGES = 5000
UNDOUBTED_S = 86_400.0
"""A clock that is so far ahead of all that was written has not jumped."""
NOTHING = 0
"""The leaf of a chat of which nothing is shown: no message has this id. Without a leaf, the newest
message is shown.
"""


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat as it is written; the columns of the table, packed (figures.py)."""

    id: int
    title: str
    is_title_own: bool
    created_at: float
    updated_at: float
    pair: str = ""
    system: str = ""
    settings: str = "{}"
    pinned: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as it is written. searchable: whether the text is whole."""

    id: int
    chat: int
    parent: int | None
    role: str
    content: str
    created_at: float
    searchable: bool = True
    pair: str = ""
    reason: str | None = None
    error: str = ""
    figures: str = ""
    attachments: str = ""
    pieces: bytes = b""
    summary: str = ""
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class TextRow:
    """An answer's text so far."""

    message: int
    content: str
    pieces: bytes
    figures: str


class Store:
    """The statements that write, on one connection. has_erased: whether one of them erased; freed:
    pictures that an erased message had; added: that a new one has.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self.has_erased = False
        self.freed: set[str] = set()
        self.added: set[str] = set()

    def recover(self) -> None:
        """Make findable what was streaming when its app died."""
        self._execute("UPDATE messages SET searchable = 1 WHERE searchable = 0")

    def new_chat(self, row: ChatRow) -> None:
        """Write an empty chat."""
        self._insert("chats", row)

    def add(self, row: MessageRow) -> None:
        """Write a message and show it; the first question gives the chat its title, and one that is
        archived or deleted is among the others again.
        """
        self._insert_message(row)
        self._execute(
            "UPDATE chats SET leaf = ?, updated_at = max(updated_at, ?), archived = 0, "
            "deleted_at = NULL, pair = CASE WHEN ? = '' THEN pair ELSE ? END WHERE id = ?",
            (row.id, row.created_at, row.pair, row.pair, row.chat),
        )
        if row.role == "user":
            self._execute(
                "UPDATE chats SET title = ? WHERE id = ? AND title = '' AND NOT is_title_own",
                (title_of(row.content), row.chat),
            )

    def write(self, row: TextRow) -> None:
        """Replace an answer's text by a longer one: it is running, be it once more."""
        self._execute(
            "UPDATE messages SET content = ?, pieces = ?, figures = ?, reason = NULL, error = '' "
            "WHERE id = ?",
            (row.content, row.pieces, row.figures, row.message),
        )

    def finish(self, row: TextRow, reason: str, error: str, now: float) -> None:
        """Write the whole of an answer, which can be found from now on."""
        self._execute(
            "UPDATE messages SET content = ?, pieces = ?, figures = ?, reason = ?, error = ?, "
            "searchable = 1 WHERE id = ?",
            (row.content, row.pieces, row.figures, reason, error, row.message),
        )
        self._execute(
            "UPDATE chats SET updated_at = max(updated_at, ?) "
            "WHERE id = (SELECT chat FROM messages WHERE id = ?)",
            (now, row.message),
        )

    def keep_steps(self, message: int, packed: bytes) -> None:
        """Keep the steps of an answer in the place of earlier ones, and those of the last answers.

        packed: b"" keeps none of this answer.
        """
        self._execute("DELETE FROM steps WHERE message = ?", (message,))
        if packed:
            self._execute(  # of an answer that was erased while it ran there is nothing to keep
                "INSERT INTO steps (message, packed) SELECT id, ? FROM messages WHERE id = ?",
                (packed, message),
            )
            self._execute(
                "DELETE FROM steps WHERE message <= "
                "(SELECT message FROM steps ORDER BY message DESC LIMIT 1 OFFSET ?)",
                (MOST_ANSWERS,),
            )

    def summarise(self, message: int, summary: str) -> None:
        """Keep a summary of a branch up to a message; "" keeps none."""
        self._execute("UPDATE messages SET summary = ? WHERE id = ?", (summary, message))

    def skip(self, message: int, skipped: bool) -> None:
        """Leave an answer and its question out of what is sent, or not."""
        self._execute("UPDATE messages SET skipped = ? WHERE id = ?", (skipped, message))

    def show(self, chat: int, message: int) -> None:
        """Show the newest leaf below a message of the chat."""
        self._execute(
            "WITH RECURSIVE below (id, place) AS ("
            " SELECT id, place FROM messages WHERE id = :message AND chat = :chat"
            " UNION SELECT m.id, m.place FROM below"
            " JOIN messages m ON m.chat = :chat AND m.parent = below.id) "
            "UPDATE chats SET leaf = (SELECT id FROM below ORDER BY place DESC LIMIT 1) "
            "WHERE id = :chat AND EXISTS (SELECT 1 FROM below)",
            {"chat": chat, "message": message},
        )

    def show_upto(self, chat: int, message: int | None) -> None:
        """Show a message of the chat last, or nothing of it."""
        self._execute(
            "UPDATE chats SET leaf = :message WHERE id = :chat AND (:message = 0 OR EXISTS "
            "(SELECT 1 FROM messages WHERE id = :message AND chat = :chat))",
            {"chat": chat, "message": NOTHING if message is None else message},
        )

    def rename(self, chat: int, title: str) -> None:
        """Give a chat a title of the person's; "" gives back the one it had by itself."""
        self._execute(
            "UPDATE chats SET title = ?, is_title_own = ? WHERE id = ?",
            (title or self._own_accord(chat), bool(title), chat),
        )

    def entitle(self, chat: int, title: str) -> None:
        """Give a chat a title that is not the person's, unless it has one of theirs."""
        self._execute("UPDATE chats SET title = ? WHERE id = ? AND NOT is_title_own", (title, chat))

    def configure(self, chat: int, system: str, settings: str) -> None:
        """Change what the next answer is asked with."""
        self._execute(
            "UPDATE chats SET system = ?, settings = ? WHERE id = ?", (system, settings, chat)
        )

    def pin(self, chat: int, pinned: bool) -> None:
        """List a chat first, or not."""
        self._execute("UPDATE chats SET pinned = ? WHERE id = ?", (pinned, chat))

    def archive(self, chat: int, archived: bool) -> None:
        """Keep a chat in the archive, or among the others."""
        self._execute("UPDATE chats SET archived = ? WHERE id = ?", (archived, chat))

    def delete(self, chat: int, now: float | None) -> None:
        """Hide a chat, which cannot be before it was written; None: show it again."""
        self._execute("UPDATE chats SET deleted_at = max(?, updated_at) WHERE id = ?", (now, chat))

    def purge(self, now: float, older_than_s: float) -> None:
        """Erase the chats that were deleted longer ago. A clock may have jumped: long after all
        that was written, its time counts only once something is written in it.
        """
        newest = "SELECT max(max(updated_at), max(coalesce(deleted_at, 0))) FROM chats"
        (written,) = self._execute(newest).fetchone()
        seen = min(now, (written or 0.0) + UNDOUBTED_S)
        self._erase("deleted_at < ?", (seen - older_than_s,))

    def undelete(self, chats: Sequence[int]) -> None:
        """Show deleted chats again."""
        for chat in chats:
            self.delete(chat, None)

    def erase(self, chats: Sequence[int], more_follow: bool = False) -> None:
        """Erase those of the chats that are deleted. more_follow: leave it to the last to clean up
        behind them all.
        """
        holes = ", ".join("?" * len(chats))
        self._erase(f"deleted_at IS NOT NULL AND id IN ({holes})", chats, more_follow)

    def _erase(self, condition: str, values: Sequence[float], more_follow: bool = False) -> None:
        """Remove chats so that no word of them is left in the file, and give back their room."""
        self.freed |= self._pictures(f"SELECT id FROM chats WHERE {condition}", values)
        is_any = self._execute(f"DELETE FROM chats WHERE {condition}", values).rowcount > 0
        if more_follow:
            return
        for index in ("said", "titled") if is_any else ():
            # until its parts are merged, an index keeps the words of what was taken out of it
            self._execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        # free pages that an earlier version left may hold words of any chat
        pages = "" if is_any else f"({VACUUMED_PAGES})"
        self._execute(f"PRAGMA incremental_vacuum{pages}").fetchall()
        self.has_erased = self.has_erased or is_any

    def bring_in(self, chats: Sequence[ImportedChat], deleted_at: float) -> None:
        """Write whole chats, which count as deleted."""
        for imported in chats:
            self.new_chat(imported.chat)
            self.delete(imported.chat.id, deleted_at)
            for row in imported.messages:
                self._insert_message(row)
            values = (imported.leaf, imported.chat.id)
            self._execute("UPDATE chats SET leaf = ? WHERE id = ?", values)

    def carry(self, rows: Iterable[tuple[str, Mapping[str, object]]]) -> None:
        """Write rows of another file, each with its table, but for what is here already."""
        for table, row in rows:
            values = {name: value for name, value in row.items() if name != "place"}
            names, holes = ", ".join(values), ", ".join("?" * len(values))
            sql = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({holes})"
            self._execute(sql, [*values.values()])

    def wanted(self) -> set[str]:
        """Return the pictures that messages have."""
        return {str(id) for (id,) in self._execute("SELECT DISTINCT id FROM pictures")}

    def _pictures(self, chats: str, values: Sequence[float]) -> set[str]:
        found = self._execute(
            "SELECT p.id FROM pictures AS p JOIN messages AS m ON m.id = p.message "
            f"WHERE m.chat IN ({chats})",
            values,
        )
        return {str(id) for (id,) in found}

    def _own_accord(self, chat: int) -> str:
        question = self._execute(
            "SELECT content FROM messages WHERE chat = ? AND parent IS NULL ORDER BY place LIMIT 1",
            (chat,),
        ).fetchone()
        return title_of(question[0]) if question else ""

    def _insert_message(self, row: MessageRow) -> None:
        self._insert("messages", row)
        pictures = set(pictures_in(row.attachments))
        self.added |= pictures
        for id in pictures:
            self._execute("INSERT INTO pictures (message, id) VALUES (?, ?)", (row.id, id))

    def _insert(self, table: str, row: ChatRow | MessageRow) -> None:
        names = [field.name for field in fields(row)]
        holes = ", ".join("?" * len(names))
        values = [getattr(row, name) for name in names]
        self._execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({holes})", values)


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat with its messages, parents first, and the one that is shown last."""

    chat: ChatRow
    messages: tuple[MessageRow, ...]
    leaf: int | None
