"""Whether a file is sound, which SQLite finds out only where it reads."""

from __future__ import annotations

import sqlite3

from app.history import schema

READABLE = ("chats", "messages")
"""What is read as text, byte by byte."""


def examine(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError, or UnicodeDecodeError, if the file is damaged anywhere but in
    the search index, which is made anew. The connection is good for nothing else then.
    """
    if schema.version_of(connection) >= schema.INDEXED:
        schema.mend_index(connection)
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise _damage(found)
    given, connection.text_factory = connection.text_factory, bytes.decode
    for table in READABLE if schema.version_of(connection) else ():
        for _ in connection.execute(f"SELECT * FROM {table}"):
            pass
    connection.text_factory = given


def _damage(line: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(line)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
