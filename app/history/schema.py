"""The tables, and how a file of an older version becomes one of this version.

A message's `place` is the order of writing and what the search index knows it by; its `id` is given
out by whoever writes it, before it is on disk (ids.py). A parent is in the same chat, which
the foreign key holds. `searchable` is 0 while an answer streams: it is indexed once, when it ends.

The index holds no text of its own. Triggers keep it true to the tables; they need the SQL function
`indexed` (words.py) on the connection that writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

APPLICATION = 0x536C6970  # "Slip"

_TABLES = """
CREATE TABLE chats (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    is_title_own INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    deleted_at REAL,
    leaf INTEGER,
    pair TEXT NOT NULL DEFAULT '',
    system TEXT NOT NULL DEFAULT '',
    settings TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX listed ON chats (pinned DESC, updated_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX deleted ON chats (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE messages (
    place INTEGER PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    parent INTEGER,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    created_at REAL NOT NULL,
    searchable INTEGER NOT NULL DEFAULT 1,
    pair TEXT NOT NULL DEFAULT '',
    reason TEXT,
    error TEXT NOT NULL DEFAULT '',
    figures TEXT NOT NULL DEFAULT '',
    attachments TEXT NOT NULL DEFAULT '',
    pieces BLOB NOT NULL DEFAULT x'',
    content TEXT NOT NULL,
    UNIQUE (chat, id),
    FOREIGN KEY (chat, parent) REFERENCES messages (chat, id)
);
CREATE INDEX children ON messages (chat, parent);
CREATE INDEX unsearchable ON messages (searchable) WHERE searchable = 0;
"""

_INDEX = """
CREATE VIRTUAL TABLE said USING fts5 (
    text, content='', prefix='2 3', tokenize="unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE titled USING fts5 (
    text, content='', prefix='2 3', tokenize="unicode61 remove_diacritics 2"
);
CREATE TRIGGER message_in AFTER INSERT ON messages WHEN new.searchable BEGIN
    INSERT INTO said (rowid, text) VALUES (new.place, indexed(new.content));
END;
CREATE TRIGGER message_out AFTER DELETE ON messages WHEN old.searchable BEGIN
    INSERT INTO said (said, rowid, text) VALUES ('delete', old.place, indexed(old.content));
END;
CREATE TRIGGER message_new AFTER UPDATE OF content, searchable ON messages BEGIN
    INSERT INTO said (said, rowid, text)
        SELECT 'delete', old.place, indexed(old.content) WHERE old.searchable;
    INSERT INTO said (rowid, text)
        SELECT new.place, indexed(new.content) WHERE new.searchable;
END;
CREATE TRIGGER title_in AFTER INSERT ON chats BEGIN
    INSERT INTO titled (rowid, text) VALUES (new.id, indexed(new.title));
END;
CREATE TRIGGER title_out AFTER DELETE ON chats BEGIN
    INSERT INTO titled (titled, rowid, text) VALUES ('delete', old.id, indexed(old.title));
END;
CREATE TRIGGER title_new AFTER UPDATE OF title ON chats WHEN old.title <> new.title BEGIN
    INSERT INTO titled (titled, rowid, text) VALUES ('delete', old.id, indexed(old.title));
    INSERT INTO titled (rowid, text) VALUES (new.id, indexed(new.title));
END;
"""
_INDEXING = """\
INSERT INTO titled (rowid, text) SELECT id, indexed(title) FROM chats;
INSERT INTO said (rowid, text) SELECT place, indexed(content) FROM messages WHERE searchable;
"""

INDEXES = ("titled", "said")

_STEPS = """
CREATE TABLE steps (
    message INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    packed BLOB NOT NULL
);
"""

_SUMMARY = "ALTER TABLE messages ADD COLUMN summary TEXT NOT NULL DEFAULT '';"
_PICTURES = """
CREATE TABLE pictures (
    message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (message, id)
) WITHOUT ROWID;
CREATE INDEX wanted ON pictures (id);
"""
_SKIPPED = "ALTER TABLE messages ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;"
_ARCHIVED = """
ALTER TABLE chats ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
DROP INDEX listed;
CREATE INDEX listed ON chats (archived, pinned DESC, updated_at DESC, id DESC, deleted_at)
    WHERE deleted_at IS NULL;
"""


def _create_tables(connection: sqlite3.Connection) -> None:
    """1: chats and messages."""
    _run(connection, f"PRAGMA application_id = {APPLICATION};" + _TABLES)


def _create_index(connection: sqlite3.Connection) -> None:
    """2: full-text search."""
    _run(connection, _INDEX + _INDEXING)


def _create_steps(connection: sqlite3.Connection) -> None:
    """3: the steps of answers (steps.py)."""
    _run(connection, _STEPS)


def _add_summary(connection: sqlite3.Connection) -> None:
    """4: the summary of a branch up to a message, which is sent in the place of all that."""
    _run(connection, _SUMMARY)


def _add_skipped(connection: sqlite3.Connection) -> None:
    """5: whether an answer, with its question, is left out of what is sent."""
    _run(connection, _SKIPPED)


def _create_pictures(connection: sqlite3.Connection) -> None:
    """6: which messages want which pictures, by their sha256."""
    _run(connection, _PICTURES)


def _add_archived(connection: sqlite3.Connection) -> None:
    """7: whether a chat is archived. One index has both lists in order, and counts them: without
    `deleted_at` in it each chat would be looked up.
    """
    _run(connection, _ARCHIVED)


def make_index_anew(connection: sqlite3.Connection) -> None:
    """Make the search index anew: all that is in it is in the tables, too.

    FTS5 takes some damaged ones for sound, and may not open others even to drop them: what it keeps
    them in is filled as in a new index. Raises sqlite3.Error.
    """
    for index, fill in zip(INDEXES, _INDEXING.splitlines(), strict=True):
        _empty(connection, index)
        connection.execute(fill)
        connection.execute("COMMIT")


def _empty(connection: sqlite3.Connection, index: str) -> None:
    """Begin a transaction in which there is nothing in an index."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(_INDEX.partition("CREATE TRIGGER")[0])
        rows = fresh.execute(f"SELECT id, block FROM {index}_data").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    for part in ("data", "idx", "docsize"):
        connection.execute(f"DELETE FROM {index}_{part}")
    connection.executemany(f"INSERT INTO {index}_data (id, block) VALUES (?, ?)", rows)


Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: tuple[Migration, ...] = (
    _create_tables,
    _create_index,
    _create_steps,
    _add_summary,
    _add_skipped,
    _create_pictures,
    _add_archived,
)
"""Each makes a file of version i one of version i + 1; what was published is never changed."""
VERSION, INDEXED = len(MIGRATIONS), 2
"""The newest version, and the first with a search index."""


def migrate(connection: sqlite3.Connection, upto: int = VERSION) -> None:
    """Bring the file to a version, wholly or not at all. Raises sqlite3.Error."""
    if version_of(connection) >= upto:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_of(connection)  # again: another process may have been faster
        for migration in MIGRATIONS[version:upto]:
            migration(connection)
        connection.execute(f"PRAGMA user_version = {max(version, upto)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a file, 0 for a new one. Raises sqlite3.Error."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Run statements one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
