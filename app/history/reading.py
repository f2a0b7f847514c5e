"""Reading chats: the list, and one chat whole, as they are on the disk at that moment."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import TypeAlias

from app.errors import HistoryError
from app.history.database import Database
from app.history.faults import REFUSALS, is_damage, why
from app.history.figures import unpack_attachments, unpack_figures, unpack_settings
from app.history.open_file import content_of, file_at, is_replaced
from app.history.records import Chat, ChatInfo, StoredMessage
from app.history.steps import unpack_steps
from app.history.store import NOTHING
from app.history.tree import Tree
from engine import TracedStep

Value: TypeAlias = str | int | float | None
Row: TypeAlias = tuple[str, dict[str, object]]
"""The name of a table, and a row of it."""

INFO = (
    "c.id, c.title, c.is_title_own, c.created_at, c.updated_at, c.pinned, c.pair, c.archived, "
    "c.deleted_at, "
    "(WITH RECURSIVE branch (id, parent, role) AS ("
    " SELECT id, parent, role FROM messages WHERE chat = c.id AND id = coalesce(c.leaf,"
    "  (SELECT id FROM messages WHERE chat = c.id ORDER BY place DESC LIMIT 1))"
    " UNION ALL SELECT m.id, m.parent, m.role FROM branch"
    " JOIN messages AS m ON m.id = branch.parent AND m.chat = c.id)"
    " SELECT count(*) FROM branch WHERE role = 'user')"
)
"""The columns of a chat's info; its questions are those of the branch that is shown."""
_MESSAGE = (
    "id, parent, role, content, created_at, pair, reason, error, figures, attachments, pieces, "
    "summary, skipped"
)


_OF_CHAT = {
    "chats": "SELECT * FROM chats WHERE id = ?",
    "messages": "SELECT * FROM messages WHERE chat = ? ORDER BY place",
    "pictures": "SELECT * FROM pictures WHERE message IN (SELECT id FROM messages WHERE chat = ?)",
    "steps": "SELECT * FROM steps WHERE message IN (SELECT id FROM messages WHERE chat = ?)",
}
"""All that is kept of a chat, each table behind those that its rows name."""


class Reader:
    """The connection that reads. May be used from several threads, one at a time."""

    def __init__(self, database: Database) -> None:
        """Raises HistoryError."""
        self._database = database
        self._file = None if database.anchor else file_at(database.path)
        self._lock = threading.Lock()
        try:
            self._connection = database.reader()
        except REFUSALS as error:
            raise self._fault(error) from error

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query. Raises HistoryError."""
        try:
            with self._lock:
                self._let_go()
                return self._connection.execute(sql, values).fetchall()
        except REFUSALS as error:
            if is_damage(error):
                self._database.suspect()
            raise self._fault(error) from error

    def renew(self, chats: Collection[int]) -> list[Row]:
        """Read from the file that is at the path by now; return all rows of these chats in the one
        before. Raises HistoryError, sqlite3.Error, OSError.
        """
        with self._lock:
            self._let_go()
            rows = list(_rows_of(self._connection, chats))
            self._take(self._database.renewed())
            self._file = file_at(self._database.path)
        return rows

    def _let_go(self) -> None:
        """Read from memory once another window has made a new file: its journal bears the name of
        ours, and would be played into the old file.
        """
        if self._file is None or not is_replaced(self._database.path, self._file):
            return
        content, self._file = content_of(self._file), None
        # AttributeError: an SQLite that cannot take a file from memory
        with suppress(AttributeError, *REFUSALS):
            if content:
                memory = sqlite3.connect(":memory:", check_same_thread=False)
                memory.deserialize(content)
                self._take(memory)

    def _take(self, connection: sqlite3.Connection) -> None:
        connection.text_factory = self._connection.text_factory
        self._connection.close()
        self._connection = connection

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def _fault(self, error: Exception) -> HistoryError:
        return HistoryError(f"Chats cannot be read from {self._database.path}: {why(error)}.")


def _rows_of(connection: sqlite3.Connection, chats: Collection[int]) -> Iterator[Row]:
    """Yield the rows of chats, as far as they can be read."""
    with suppress(*REFUSALS):
        for (table, sql), chat in product(_OF_CHAT.items(), chats):
            cursor = connection.execute(sql, (chat,))
            names = [name for name, *_ in cursor.description]
            for row in cursor:
                yield table, dict(zip(names, row, strict=True))


def info_of(row: Sequence[object]) -> ChatInfo:
    """Make the info from a row of INFO."""
    id, title, is_title_own, created_at, updated_at, pinned, pair, *rest = row
    archived, deleted_at, n_questions = rest
    return ChatInfo(
        id=_whole(id),
        title=str(title),
        is_title_own=bool(is_title_own),
        created_at=seconds(created_at),
        updated_at=seconds(updated_at),
        pinned=bool(pinned),
        pair=str(pair),
        n_questions=_whole(n_questions),
        archived=bool(archived),
        deleted_at=None if deleted_at is None else seconds(deleted_at),
    )


def read_list(reader: Reader, limit: int, archived: bool) -> list[ChatInfo]:
    """Return some chats, pinned ones first, then the newest. Raises HistoryError."""
    rows = reader.rows(
        f"SELECT {INFO} FROM chats AS c WHERE c.deleted_at IS NULL AND c.archived = ? "
        "ORDER BY c.pinned DESC, c.updated_at DESC, c.id DESC LIMIT ?",
        (archived, limit),
    )
    return [info_of(row) for row in rows]


def read_deleted(reader: Reader) -> list[ChatInfo]:
    """Return the deleted chats, the last deleted first. Raises HistoryError."""
    rows = reader.rows(
        f"SELECT {INFO} FROM chats AS c WHERE c.deleted_at IS NOT NULL "
        "ORDER BY c.deleted_at DESC, c.id DESC"
    )
    return [info_of(row) for row in rows]


def count_deleted(reader: Reader) -> int:
    """Return how many chats are deleted. Raises HistoryError."""
    ((n,),) = reader.rows("SELECT count(*) FROM chats WHERE deleted_at IS NOT NULL")
    return _whole(n)


def count_archived(reader: Reader) -> int:
    """Return how many chats are archived. Raises HistoryError."""
    sql = "SELECT count(*) FROM chats WHERE archived = 1 AND deleted_at IS NULL"
    ((n,),) = reader.rows(sql)
    return _whole(n)


def read_archived(reader: Reader, chats: Sequence[int]) -> set[int]:
    """Return those that are archived. Raises HistoryError."""
    marks = ", ".join("?" * len(chats))
    rows = reader.rows(f"SELECT id FROM chats WHERE archived = 1 AND id IN ({marks})", chats)
    return {_whole(id) for (id,) in rows}


def read_titles(reader: Reader, chats: Sequence[int]) -> dict[int, str]:
    """Return the titles of those that are there and not deleted. Raises HistoryError."""
    marks = ", ".join("?" * len(chats))
    sql = f"SELECT id, title FROM chats WHERE deleted_at IS NULL AND id IN ({marks})"
    return {_whole(id): str(title) for id, title in reader.rows(sql, chats)}


def read_answers(reader: Reader, chat: int) -> set[int]:
    """Return those of a chat's answers that are over, on whatever branch. Raises HistoryError."""
    sql = "SELECT id FROM messages WHERE chat = ? AND role != 'user' AND reason IS NOT NULL"
    return {_whole(id) for (id,) in reader.rows(sql, (chat,))}


def is_deleted(reader: Reader, chat: int) -> bool:
    """Return whether it is there and deleted. Raises HistoryError."""
    return bool(reader.rows("SELECT 1 FROM chats WHERE id = ? AND deleted_at IS NOT NULL", (chat,)))


def read_chat(reader: Reader, chat: int) -> Chat:
    """Return a chat with all its branches, also a deleted one. Raises HistoryError."""
    rows = reader.rows(
        f"SELECT {INFO}, c.system, c.settings, c.leaf FROM chats AS c WHERE c.id = ?", (chat,)
    )
    if not rows:
        raise HistoryError(f"There is no chat {chat} in the history.")
    *info, system, settings, leaf = rows[0]
    found = reader.rows(f"SELECT {_MESSAGE} FROM messages WHERE chat = ? ORDER BY place", (chat,))
    messages = tuple(_message_of(row) for row in found)
    tree = Tree((message.id, message.parent) for message in messages)
    shown = leaf if isinstance(leaf, int) and leaf in tree else tree.newest()
    shown = None if leaf == NOTHING else shown
    return Chat(
        info=info_of(info),
        system=str(system),
        settings=unpack_settings(str(settings)),
        leaf=shown,
        messages=messages,
        tree=tree,
    )


def read_steps(reader: Reader, message: int) -> list[TracedStep]:
    """Return the steps of an answer, none if they are not kept. Raises HistoryError."""
    rows = reader.rows("SELECT packed FROM steps WHERE message = ?", (message,))
    packed = rows[0][0] if rows else b""
    return unpack_steps(packed) if isinstance(packed, bytes) else []


def _message_of(row: Sequence[object]) -> StoredMessage:
    id, parent, role, content, created_at, pair, reason, error, figures, attachments, *rest = row
    pieces, summary, skipped = rest
    return StoredMessage(
        id=_whole(id),
        parent=None if parent is None else _whole(parent),
        role=str(role),
        content=str(content),
        created_at=seconds(created_at),
        pair=str(pair),
        reason=None if reason is None else str(reason),
        error=str(error),
        figures=unpack_figures(str(figures)),
        attachments=unpack_attachments(str(attachments)),
        pieces=pieces if isinstance(pieces, bytes) else b"",
        summary=str(summary),
        skipped=bool(skipped),
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def seconds(value: object) -> float:
    """Return a time as it was read."""
    return float(value) if isinstance(value, int | float) else 0.0
