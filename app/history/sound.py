"""Whether a file is sound, which SQLite finds out only where it reads."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from app.history import schema
from app.history.faults import code_of

READABLE = ("chats", "messages")
"""What is read as text, byte by byte."""


def examine(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError, or UnicodeDecodeError, if the file is damaged anywhere but in
    the search index, which is made anew. The connection is good for nothing else then.
    """
    version = schema.version_of(connection)
    given, connection.text_factory = connection.text_factory, bytes.decode
    for table in READABLE if version else ():
        for _ in connection.execute(f"SELECT * FROM {table}"):
            pass
    connection.text_factory = given
    if version >= schema.INDEXED:
        _make_index_anew(connection)
    # also whether each index has what its table has: of a torn copy a page may be of another time
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise _damage(found)


def _make_index_anew(connection: sqlite3.Connection) -> None:
    """Make the search index anew; what it cannot be filled from is damage."""
    try:
        schema.make_index_anew(connection)
    except sqlite3.OperationalError as error:
        if code_of(error) != sqlite3.SQLITE_ERROR:  # a function of ours was given what is no text
            raise
        raise _damage("what was said is no text") from error


def examine_schema(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if a name in the schema is damaged: SQLite takes any name."""
    if changed := changed_schema(connection):
        raise _damage(f"the schema of {', '.join(sorted(changed))} is damaged")


def changed_schema(connection: sqlite3.Connection) -> set[str]:
    """Return which of our tables, indexes and triggers are not there, or are otherwise than in a
    new file of the same version. Raises sqlite3.Error.
    """
    connection.execute("BEGIN")  # one look at both: another process may migrate the file now
    version, there = schema.version_of(connection), _schema(connection)
    connection.execute("COMMIT")
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        fresh.create_function("indexed", 1, str)
        schema.migrate(fresh, max(version, 1) if there else 0)
        wanted = _schema(fresh)
    return {name.decode() for name in wanted if wanted[name] != there.get(name)}


def _schema(connection: sqlite3.Connection) -> dict[bytes, bytes]:
    """Return the statements that made what is there, by its names; not what FTS5 makes."""
    query = "SELECT CAST(name AS BLOB), CAST(sql AS BLOB) FROM sqlite_master WHERE sql IS NOT NULL"
    parts = tuple(f"{index}_".encode() for index in schema.INDEXES)
    rows = connection.execute(query)
    return {name: b" ".join(sql.split()) for name, sql in rows if not name.startswith(parts)}


def _damage(line: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(line)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
