"""Whatever is written, rewritten, hidden and removed, the index holds just the words of the tables.

The index cannot be asked to check itself, for it has no text of its own: what it holds, word by
word and place by place, is compared with an index made anew from the tables.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.history import History, Outcome
from app.history.words import indexed
from engine import Span
from tests.app.history.chats import said

TEXTS = st.text(
    st.sampled_from("ab é日本🎉'\"\x00\n") | st.characters(exclude_categories=["Cs"]), max_size=12
)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["say", "stream", "rename", "delete", "undelete", "purge", "import"]),
        st.integers(0, 9),
        TEXTS,
    ),
    max_size=15,
)
SOURCES = {
    "said": "SELECT place, indexed(content) FROM messages WHERE searchable",
    "titled": "SELECT id, indexed(title) FROM chats",
}


def change(
    history: History, path: Path, chats: list[int], what: str, number: int, text: str
) -> None:
    """Do one thing that changes words."""
    chat = chats[number % len(chats)]
    match what:
        case "say":
            chats.append(said(history, text, text * 2))
        case "stream":
            message = history.add(chat, history.add(chat, None, "user", text), "assistant")
            history.write(message, [Span(text, "plain")])
            history.flush()
            if number % 2:  # another app begins, and takes the answer for one that was cut off
                assert History.open(path).close()
                history.write(message, [Span("x", "plain")])
                history.flush()
            if number % 3:
                history.finish(message, text * number, Outcome("stop"))
        case "rename":
            history.rename(chat, text)
        case "delete":
            history.delete(chat)
        case "undelete":
            history.undelete(chat)
        case "purge":
            history.purge(-1)
        case "import":
            history.flush()
            history.import_json(history.export_json([history.chats()[0].id]))


def held(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    """Return every word of an index, with the row and the place in it."""
    connection.execute(f"CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, {table}, instance)")
    rows = connection.execute("SELECT term, doc, offset FROM temp.v ORDER BY 1, 2, 3").fetchall()
    connection.execute("DROP TABLE temp.v")
    return rows


@given(CHANGES)
@settings(max_examples=60)
def test_the_index_holds_the_words_of_the_tables(changes: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.db"
        history = History.open(path)
        said(history, "kept", "kept for good")
        chats = [said(history, "first"), said(history, "second")]
        for what, number, text in changes:
            change(history, path, chats, what, number, text)
        history.close()  # an answer in a chat that was erased is refused
        with closing(sqlite3.connect(path)) as connection:
            connection.create_function("indexed", 1, indexed)
            for table, source in SOURCES.items():
                (made,) = connection.execute(
                    "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
                ).fetchone()
                connection.execute(made.replace(f"TABLE {table}", "TABLE anew"))
                connection.execute(f"INSERT INTO anew (rowid, text) {source}")
                assert held(connection, table) == held(connection, "anew")
                connection.execute("DROP TABLE anew")
