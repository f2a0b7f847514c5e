"""The one thread that writes, so that nobody else ever waits for the disk.

What is posted is done in that order, in one transaction with whatever else is waiting, and is on
the disk within a moment. Streaming text is gathered and written at most every `interval_s`; the
newest text replaces the older, so a crash loses only what came since. What cannot be written is
kept and tried again; `report` is told once, in one line, and is told "" when all is well again.

`report` is called in the writer's thread.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic

from app.errors import HistoryError
from app.files.pictures import Album
from app.history.database import Database
from app.history.faults import REFUSALS, is_damage, is_of_the_disk, unsaved, why
from app.history.figures import (
    UNMEASURED,
    Figures,
    Outcome,
    pack_figures,
    pack_spans,
    storable,
)
from app.history.operations import Awaited, Live, Operation, Spare, row_of, writing
from app.history.store import Store, TextRow
from engine import Span

INTERVAL_S = 0.5
RETRY_S = 3.0
PATIENCE_S = 10.0

Report = Callable[[str], None]


class Writer:
    """Owns the connection that writes. Begins at once; `close` ends it."""

    def __init__(
        self,
        database: Database,
        report: Report,
        clock: Callable[[], float],
        interval_s: float = INTERVAL_S,
        album: Album | None = None,
        moved: Callable[[], tuple[Operation, str] | None] = lambda: None,
    ) -> None:
        """album: has the pictures; those that nobody wants any more are removed from it. moved:
        goes over to another file where that is at the path now (moved.py).
        """
        self._database, self._album = database, album
        self._report_to, self._moved = report, moved
        self._clock = clock
        self._interval_s = interval_s
        self._wake = threading.Condition()
        # a file with a notice is new, or cannot be written: nothing to recover, no second line
        self._operations: deque[Operation] = deque([] if database.notice else [Store.recover])
        self._live: dict[int, Live] = {}
        self._posted, self._written, self._wanted = len(self._operations), 0, 0
        self._failures = self._n_refused = self._n_told = 0
        self._next_text = self._next_try = 0.0
        self._is_closing = False
        self._line = database.waits
        self._connection: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    def post(self, operation: Operation) -> None:
        """Have an operation done soon. Returns at once."""
        with self._wake:
            self._operations.append(operation)
            self._posted += 1
            self._wake.notify_all()

    def post_spare(self, operation: Operation) -> None:
        """Have done soon what can be done without, if it can be done."""
        self.post(Spare(operation))

    def write(self, message: int, spans: Iterable[Span], figures: Figures = UNMEASURED) -> None:
        """Add to the text of an answer that was added empty. Returns at once."""
        with self._wake:
            live = self._live.setdefault(message, Live())
            live.spans.extend(spans)
            live.figures = live.figures if figures == UNMEASURED else figures
            live.is_dirty = True
            self._posted += 1
            self._wake.notify_all()

    def finish(self, message: int, content: str, outcome: Outcome) -> None:
        """Write the whole of an answer and how it ended. Returns at once."""
        with self._wake:
            spans = self._live.pop(message, Live()).spans
        packed = pack_figures(outcome.figures)
        row = TextRow(message, storable(content), pack_spans(spans), packed)
        error, now = storable(outcome.error), self._clock()
        self.post(lambda store: store.finish(row, outcome.reason, error, now))

    @property
    def is_unsaved(self) -> bool:
        """Whether something is not on the disk: refused for good, or when it was last tried."""
        return self._n_refused > 0 or (self._next_try > 0.0 and self._written < self._posted)

    def flush(self, timeout_s: float = PATIENCE_S) -> bool:
        """Wait until all that was posted is on the disk, or was refused; say whether all is there
        that was posted since the last flush.
        """
        is_done = self._is_done(timeout_s)
        with self._wake:
            n_told, self._n_told = self._n_told, self._n_refused
            return is_done and self._n_refused == n_told

    def settle(self, operation: Operation, timeout_s: float = PATIENCE_S) -> bool:
        """Have an operation done, wait for it, say whether it is on the disk. Raises HistoryError
        if it never can be.
        """
        awaited = Awaited(operation)
        self.post(awaited)
        is_done = self._is_done(timeout_s)
        if is_done and awaited.refusal:
            raise HistoryError(awaited.refusal)
        return is_done

    def _is_done(self, timeout_s: float) -> bool:
        """Wait until all that was posted is on the disk, or was refused; say whether it is so."""
        with self._wake:
            wanted, failures = self._posted, self._failures
            self._wanted, self._next_try = wanted, 0.0
            self._wake.notify_all()
            self._wake.wait_for(
                lambda: self._written >= wanted or self._failures > failures, timeout_s
            )
            return self._written >= wanted

    def close(self, timeout_s: float = PATIENCE_S) -> bool:
        """Write what is left, try once more what failed, end; say whether all that was ever posted
        is on the disk.
        """
        with self._wake:
            self._is_closing = True
            self._wake.notify_all()
        self._thread.join(timeout_s)
        return self._written >= self._posted and not self._n_refused

    def _run(self) -> None:
        while self._wait() and self._turn():
            pass
        self._disconnect()

    def _wait(self) -> bool:
        """Sleep until something is to be written; return False when all is over."""
        with self._wake:
            while True:
                is_idle = self._written >= self._posted
                if self._is_closing:
                    return not is_idle
                now = monotonic()
                left_s = None if is_idle else self._due() - now
                if left_s is not None and left_s <= 0:
                    return True
                self._wake.wait(left_s)

    def _due(self) -> float:
        """Return when to write what is waiting."""
        if self._next_try:
            return self._next_try
        if self._operations or self._wanted > self._written:
            return 0.0
        return self._next_text

    def _turn(self) -> bool:
        """Write everything that is waiting in one transaction; say whether to go on."""
        with self._wake:
            mark, operations = self._posted, list(self._operations)
            live = [
                (id, tuple(it.spans), it.figures) for id, it in self._live.items() if it.is_dirty
            ]
            for one in self._live.values():
                one.is_dirty = False
        self._next_text = monotonic() + self._interval_s
        texts = [row_of(*each) for each in live]
        try:
            operations = [*self._carried(), *operations]
            refusals = self._write_all(operations, texts)
        except (HistoryError, *REFUSALS, OSError) as error:
            return self._failed(error, [row.message for row in texts])
        with self._wake:
            for _ in operations:
                self._operations.popleft()
            self._written = mark
            self._n_refused += len(refusals)
            self._next_try = 0.0
            self._wake.notify_all()
        self._report(refusals[-1] if refusals else "")
        return True

    def _carried(self) -> list[Operation]:
        """Return what is to be written first, if the file at the path is another by now."""
        if (found := self._moved()) is None:
            return []
        self._disconnect()
        carry, line = found
        self._operations.appendleft(carry)  # to be tried again if it cannot be written
        self._report(line)
        return [carry]

    def _write_all(self, operations: list[Operation], texts: list[TextRow]) -> list[str]:
        """Write in one transaction; return a line for each that can never be written and
        that nobody waits for.

        Raises sqlite3.Error and leaves everything as it was.
        """
        connection = self._connection = self._connection or self._database.writer()
        store, refusals = Store(connection), []
        connection.execute("BEGIN IMMEDIATE")
        spares = [operation for operation in operations if isinstance(operation, Spare)]
        needed = [operation for operation in operations if not isinstance(operation, Spare)]
        for operation in [*needed, *map(writing, texts)]:
            connection.execute("SAVEPOINT one")
            try:
                operation(store)
            except Exception as error:
                if is_of_the_disk(error):
                    raise
                if not connection.in_transaction:  # SQLite undid all of it: the file is damaged
                    self._database.suspect()
                    raise
                connection.execute("ROLLBACK TO one")
                if isinstance(error, sqlite3.OperationalError):  # a statement is at fault, or a row
                    self._database.suspect()
                line = f"A change to the chats could not be saved: {why(error)}."
                if isinstance(operation, Awaited):
                    operation.refusal = line
                else:
                    refusals.append(line)
            connection.execute("RELEASE one")
        connection.execute("COMMIT")
        if store.has_erased:
            with suppress(*REFUSALS):  # it is saved all the same
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._tidy(store)
        for spare in spares:
            self._try(spare, connection)
        return refusals

    def _try(self, spare: Spare, connection: sqlite3.Connection) -> None:
        """Do it in a transaction of its own: a damaged page there keeps nothing else back."""
        try:
            connection.execute("BEGIN IMMEDIATE")
            spare(Store(connection))
            connection.execute("COMMIT")
        except REFUSALS as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if is_damage(error):
                self._database.suspect()

    def _tidy(self, store: Store) -> None:
        """Have the album know what was written; what cannot be removed now is removed later."""
        if self._album is not None:
            self._album.settle(store.added)
        if self._album is not None and (freed := store.freed | self._album.spared):
            with suppress(*REFUSALS, OSError):
                self._album.remove(freed - store.wanted(), self._clock())

    def _failed(self, error: Exception, messages: list[int]) -> bool:
        """Keep all that was to be written for another try; at the end, give it up."""
        self._disconnect()
        if is_damage(error):
            self._database.suspect()
        with self._wake:
            for message in messages:
                if message in self._live:
                    self._live[message].is_dirty = True
            self._next_try = monotonic() + RETRY_S
            self._failures += 1
            is_over = self._is_closing
            self._wake.notify_all()
        self._report(unsaved(self._database.path, error))
        return not is_over

    def _disconnect(self) -> None:
        with suppress(*REFUSALS):
            if self._connection:
                self._connection.close()
        self._connection = None

    def _report(self, line: str) -> None:
        """Tell what is new."""
        changed, self._line = line != self._line, line
        if changed:
            # the app may be gone, or going: that must not end the writing
            with suppress(Exception):
                self._report_to(line)
