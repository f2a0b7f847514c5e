"""What can still be read of a damaged file, copied into a new one.

A page that is damaged hides the rows in it and no others: a table is read from both its ends, and
then page by page, as if it began in that one, for pages above it may be damaged. What was erased is
in no page any more. A message whose parent is gone follows the last one before it, a chat whose own
row is gone gets a new one. The steps of answers, which are for looking at alone, are not copied.

Where the schema itself is damaged, which says in which page each table begins, all is read below
the schema page of a new file. They begin in the same pages: every file had its tables made in the
same order, and with auto_vacuum SQLite keeps the first pages of all tables at the file's front.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from app.history import schema
from app.history.faults import REFUSALS
from app.history.sound import changed_schema
from app.history.title import title_of

KEYS = {"chats": "id", "messages": "place"}
SOUND: dict[str, dict[str, type]] = {
    "chats": {"title": str, "created_at": float, "updated_at": float, "settings": str},
    "messages": {"id": int, "chat": int, "created_at": float, "content": str},
}
"""What is in these columns of every row, if the page is one of that table."""
MOST_IN_MEMORY = 2**30
"""Bytes of a file that is read whole: more would be hard on the machine."""
N_PAGES = slice(28, 32)
"""Where the first page says how many pages there are."""
LEAF = 0x0D
"""What a page with rows of a table begins with."""

Row = dict[str, object]
Tables = dict[str, dict[Any, Row]]
"""Rows of each table by their keys."""


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy what can be read into an empty history of this version; return how many chats that is,
    not counting deleted ones. Raises sqlite3.Error if it cannot be written; then nothing is copied.
    """
    chats, messages, pictures = _read(damaged)
    _begin_missing(chats, messages)
    into.execute("BEGIN IMMEDIATE")
    try:
        for chat in chats.values():
            _insert(into, "chats", chat)
        for message in _rooted(messages):
            _insert(into, "messages", message)
        for picture in pictures:
            _insert(into, "pictures", picture)
        into.execute("COMMIT")
    except BaseException:
        into.execute("ROLLBACK")
        raise
    return sum(chat.get("deleted_at") is None for chat in chats.values())


def _read(path: Path) -> tuple[dict[object, Row], list[Row], list[Row]]:
    """Return chats by their ids, messages as they were written, and who has which pictures."""
    found: Tables = {table: {} for table in KEYS}
    pictures: list[Row] = []
    # AttributeError: an SQLite that cannot take a file from memory
    gone = suppress(*REFUSALS, OSError, AttributeError)
    for connect in (_connected, _below_new_schema):
        if any(found.values()):
            break
        with gone, closing(connect(path)) as connection:
            if not changed_schema(connection).isdisjoint(KEYS):
                continue
            found = {table: _rows(connection, table) for table in KEYS}
            with suppress(*REFUSALS):
                for row in connection.execute("SELECT message, id FROM pictures"):
                    pictures.append(dict(row))
    with gone, closing(_below_new_schema(path)) as connection:
        _add_leaves(connection, found)
    messages = found["messages"]
    return found["chats"], [messages[place] for place in sorted(messages)], pictures


def _connected(path: Path) -> sqlite3.Connection:
    return _reading(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


def _reading(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Have rows by their columns' names, and texts however damaged."""
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def _below_new_schema(path: Path) -> sqlite3.Connection:
    """Return the file's content in memory, with the schema page of a new file. Raises
    sqlite3.Error, or OSError.
    """
    size = path.stat().st_size
    if size > MOST_IN_MEMORY:
        raise sqlite3.NotSupportedError(f"{size} bytes are too many to be read at once")
    page, content = _schema_page(), bytearray(size)
    with path.open("rb") as file:
        file.readinto(content)
    content[: len(page)] = page
    content[N_PAGES] = (len(content) // len(page)).to_bytes(4, "big")
    connection = _reading(sqlite3.connect(":memory:", isolation_level=None))
    connection.deserialize(content)
    return connection


def _schema_page() -> bytes:
    """Return the first page of a new file; of its schema what is salvaged, which has room there."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        fresh.create_function("indexed", 1, str)
        fresh.execute("PRAGMA auto_vacuum = INCREMENTAL")
        schema.migrate(fresh)
        fresh.execute("PRAGMA writable_schema = ON")
        fresh.execute(
            "DELETE FROM sqlite_master WHERE type = 'trigger' "
            "OR tbl_name NOT IN ('chats', 'messages', 'pictures')"
        )
        (size,) = fresh.execute("PRAGMA page_size").fetchone()
        return fresh.serialize()[:size]


def _rows(connection: sqlite3.Connection, table: str) -> dict[Any, Row]:
    """Return what can be read of a table from its ends, by its keys."""
    key = KEYS[table]
    rows: dict[Any, Row] = {}
    for order in ("ASC", "DESC"):
        with suppress(*REFUSALS):
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY {key} {order}"):
                if row[key] in rows:
                    break
                rows[row[key]] = dict(row)
    return {key: row for key, row in rows.items() if _is_sound(row, SOUND[table])}


def _add_leaves(connection: sqlite3.Connection, found: Tables) -> None:
    """Add what is in each page with rows, be it of another table: those rows are not sound. Raises
    sqlite3.Error.
    """
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    for number, kind in enumerate(connection.serialize()[size::size], 2):
        if kind == LEAF:
            connection.execute("PRAGMA writable_schema = ON")
            query = "UPDATE sqlite_master SET rootpage = ? WHERE type = 'table'"
            connection.execute(query, (number,))
            connection.execute("PRAGMA writable_schema = RESET")
            for table, rows in found.items():
                for key, row in _rows(connection, table).items():
                    rows.setdefault(key, row)


def _is_sound(row: Row, types: dict[str, type]) -> bool:
    """Whether a row has what every row of its table has."""
    return all(isinstance(row[name], kind) for name, kind in types.items())


def _begin_missing(chats: dict[object, Row], messages: Iterable[Row]) -> None:
    """Begin a chat for messages whose chat cannot be read."""
    for message in messages:
        chat, now = message["chat"], message["created_at"]
        if chat not in chats:
            title = title_of(str(message["content"]))
            chats[chat] = {"id": chat, "title": title, "created_at": now, "updated_at": now}


def _rooted(messages: Iterable[Row]) -> Iterator[Row]:
    """Yield messages with a parent that was yielded before, or none; not answers to nothing."""
    known: set[object] = set()
    last: dict[tuple[object, object], object] = {}
    for message in messages:
        chat, role, parent = message["chat"], message["role"], message["parent"]
        if parent is not None and parent not in known:
            parent = last.get((chat, "user" if role == "assistant" else "assistant"))
        if parent is None and role == "assistant":
            continue
        known.add(message["id"])
        last[chat, role] = message["id"]
        yield {**message, "parent": parent, "searchable": 1}


def _insert(into: sqlite3.Connection, table: str, row: Row) -> None:
    """Insert a row, unless what is in it cannot be."""
    names, holes = ", ".join(row), ", ".join("?" * len(row))
    with suppress(sqlite3.IntegrityError):
        into.execute(f"INSERT INTO {table} ({names}) VALUES ({holes})", list(row.values()))
