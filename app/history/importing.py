"""Writes chats that are imported, however many: a part at a time, so that nobody waits for long.

As long as not all of them are there they count as deleted now, so nobody sees them before, and what
an end in between leaves behind is erased in its time like other deleted chats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from app.errors import HistoryError, reason
from app.files.pictures import Album
from app.history.bring_in import Imported
from app.history.known import without_known
from app.history.operations import Operation
from app.history.reading import Reader
from app.history.records import BroughtIn
from app.history.store import ImportedChat, Store
from app.history.writer import Writer

Progress = Callable[[int, int], bool]
"""Told how many chats of how many are written; returns whether to go on."""
GO_ON: Progress = lambda n_done, n_chats: True  # noqa: E731  # a constant of this type

PART_CHARS = 300_000
"""So many characters, and one chat at least, take a fraction of a second to write and index."""
PATIENCE_S = 60.0


def write_all(
    writer: Writer, reader: Reader, album: Album, found: Imported, now: float, progress: Progress
) -> BroughtIn:
    """Write all of them that are not here already, or none; return once they are on the disk.

    Raises HistoryError.
    """
    writer.flush(PATIENCE_S)
    found = without_known(found, reader, now)
    if not found.chats:
        return BroughtIn([], 0, found.n_left_out, found.n_known)
    try:
        for content, kind in found.pictures:
            album.add(content, kind)
    except OSError as error:
        raise HistoryError(
            f"Nothing was imported: its pictures cannot be kept: {reason(error)}."
        ) from error
    chats, n_done = found.chats, 0
    for part in _parts(chats):
        n_done += len(part)
        bring_in = partial(Store.bring_in, chats=part, deleted_at=now)
        is_saved = _is_settled(writer, bring_in, chats[:n_done])
        if not is_saved or not progress(n_done, len(chats)):
            _take_back(writer, chats[:n_done])
            why = "." if is_saved else ": chats cannot be saved now."
            raise HistoryError(f"Nothing was imported{why}")
    ids = [one.chat.id for one in chats]
    if not _is_settled(writer, partial(Store.undelete, chats=ids), chats):
        raise HistoryError("The chats are imported, and listed as soon as that can be saved.")
    n_archived = sum(one.chat.archived for one in chats)
    return BroughtIn(ids, n_archived, found.n_left_out, found.n_known)


def _is_settled(writer: Writer, operation: Operation, chats: Sequence[ImportedChat]) -> bool:
    """Say whether it is on the disk. Raises HistoryError where it never can be, and then takes back
    these chats.
    """
    try:
        return writer.settle(operation, PATIENCE_S)
    except HistoryError as refusal:
        _take_back(writer, chats)
        raise HistoryError(f"Nothing was imported. {refusal}") from refusal


def _take_back(writer: Writer, chats: Sequence[ImportedChat]) -> None:
    """Erase what was written, which may still be waiting for the disk."""
    *parts, last = [[one.chat.id for one in part] for part in _parts(chats)]
    for ids in parts:
        writer.post(lambda store, ids=ids: store.erase(ids, more_follow=True))  # type: ignore[misc]
        writer.flush()
    writer.post(lambda store: store.erase(last))


def _parts(chats: Sequence[ImportedChat]) -> Iterator[list[ImportedChat]]:
    part: list[ImportedChat] = []
    n_chars = 0
    for one in chats:
        n_here = sum(len(message.content) for message in one.messages)
        if part and n_chars + n_here > PART_CHARS:
            yield part
            part, n_chars = [], 0
        part.append(one)
        n_chars += n_here
    yield part
