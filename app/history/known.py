"""Which of the chats that a file holds are here already, be it in the archive: those of the same
time with the same questions and answers. Where a file tells no times, the words decide.

Of the chats that are here only those are read whole that begin as one of the file's does. A deleted
one does not count.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

import msgspec

from app.errors import HistoryError
from app.history.bring_in import Imported
from app.history.reading import Reader
from app.history.store import ImportedChat

BEGINNING = 200
"""Bytes: a text of which SQLite takes a part ends at a NUL."""
_FIRST = (
    "SELECT c.id, c.created_at, c.system, substr(CAST(m.content AS BLOB), 1, ?) FROM chats AS c "
    "CROSS JOIN messages AS m ON m.chat = c.id AND m.parent IS NULL WHERE c.deleted_at IS NULL"
)
_WHOLE = "SELECT id, parent, role, content, attachments FROM messages WHERE chat = ? ORDER BY place"


def without_known(found: Imported, reader: Reader, now: float) -> Imported:
    """Return what is not here already. now: the time of what the file tells none of."""
    times: dict[bytes, set[object]] = defaultdict(set)
    with suppress(HistoryError):  # where chats cannot be read, none is taken for known
        for digest, created_at in _like(found, reader):
            times[digest].add(created_at)

    def is_known(one: ImportedChat) -> bool:
        rows = ((m.id, m.parent, m.role, m.content, m.attachments) for m in one.messages)
        there = times.get(_digest(one.chat.system, rows), ())
        return one.chat.created_at in there or bool(there and one.chat.created_at == now)

    new = tuple(one for one in found.chats if not is_known(one))
    return replace(found, chats=new, n_known=len(found.chats) - len(new))


def _like(found: Imported, reader: Reader) -> Iterator[tuple[bytes, object]]:
    """Yield digest and time of the chats that begin as one that was found. Raises HistoryError."""
    questions = (one.messages[0].content for one in found.chats if one.messages)
    first = {question.encode()[:BEGINNING] for question in questions}
    for id, created_at, system, beginning in reader.rows(_FIRST, (BEGINNING,)):
        if (beginning or b"") in first and isinstance(id, int):  # NULL, where there is nothing
            yield _digest(system, reader.rows(_WHOLE, (id,))), created_at


def _digest(system: object, messages: Iterable[tuple[object, ...]]) -> bytes:
    """Return what is the same for chats in which the same is said in the same branches."""
    digest = hashlib.sha256(msgspec.msgpack.encode(system))
    places: dict[object, int] = {}
    for place, (id, parent, *said) in enumerate(messages):
        places[id] = place
        digest.update(msgspec.msgpack.encode((places.get(parent), *said)))
    return digest.digest()
