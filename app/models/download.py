"""One file from the Hub to its place: resumed whatever happened, hashed along, and named only when
it is what it should be.

Whoever comes second, in this process or another, waits for the first and finds the work done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from app.errors import PullError, reason
from app.models.hub import Remote
from app.models.limit import Limit
from app.models.lock import Lock
from app.models.partial_file import Origin, Part, may_begin
from app.models.retrying import Patience
from app.models.store import LOCK, Checked, Installed, Record, Store
from app.models.stream import Body, Broken, StartAnew, opened
from app.paths import make_private

LOCK_PAUSE_S = 0.2
PAUSE_STEP_S = 0.1

Stage = Literal["checking", "downloading", "waiting", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file is. note: why it waits, "" if it does not; is_anew: whether what was read of a
    file that was here counts no longer.
    """

    file: str
    stage: Stage
    done: int
    size: int | None
    note: str = ""
    is_anew: bool = False


class Paused(Exception):
    """The person stopped the download; what came so far is kept."""


class Download:
    """The download of one file.

    report: called with each progress, from the thread that calls `run`; stopped: whether to stop.
    """

    def __init__(
        self,
        store: Store,
        remote: Remote,
        report: Callable[[Progress], None],
        stopped: Callable[[], bool],
        limit: Limit,
        patience: Patience,
    ) -> None:
        self._store, self._remote = store, remote
        self._report, self._stopped = report, stopped
        self._limit, self._patience = limit, patience
        self._target = store.path_of(remote.spec)
        self._size = remote.size
        self._furthest = 0

    def run(self) -> None:
        """Download. Raises PullError, or Paused; both leave what came so far."""
        with self._locked():
            found = self._store.find(self._remote.spec)
            if found is None or not self._is_it(found):
                found = None
                with Part(self._target, Origin.of(self._remote)) as part:
                    self._fetch(part)
        self._tell("done", found.size if found is not None else self._furthest)

    def _is_it(self, found: Installed) -> bool:
        """Whether a file was pulled, by another process perhaps, and is what the Hub tells of."""
        size, sha256 = self._remote.size, self._remote.sha256
        if sha256 is not None and (found.checked, found.sha256) != ("verified", sha256):
            return False
        return found.sha256 is not None and size in (None, found.size)

    def _fetch(self, part: Part) -> None:
        """Bring the part to its end, check it, and give it its name. A resumed part that turns out
        wrong is fetched once more from its beginning: old bytes may have been damaged on disk.
        """
        self._read(part)
        was_resumed = part.size > 0
        self._complete(part)
        wanted = self._remote.sha256
        if wanted is not None and part.sha256 != wanted and was_resumed:
            part.restart()
            self._tell("downloading", 0, "what was downloaded earlier was damaged: once more")
            self._complete(part)
        if wanted is not None and part.sha256 != wanted:
            found = part.sha256
            part.restart()
            raise PullError(
                f"{self._remote.spec.source} arrived with the wrong hash ({found[:12]}…, expected "
                f"{wanted[:12]}…), so it was thrown away. Try again, perhaps over another network."
            )
        part.settle()
        self._keep_record(part, self._checked())
        part.finish()

    def _checked(self) -> Checked:
        if self._remote.sha256 is not None:
            return "verified"
        return "size only" if self._size is not None else "unchecked"

    def _read(self, part: Part) -> None:
        """Hash what an earlier run left."""

        def report(done: int) -> None:
            self._stop_if_asked()
            self._tell("checking", done)

        part.read(report)
        if self._size is not None and part.size > self._size:
            part.restart()

    def _complete(self, part: Part) -> None:
        """Connect until all has come; give up after some tries in a row without anything new."""
        turn, furthest = 0, part.size
        while not self._is_whole(part):
            asked = None
            try:
                self._connect(part)
                if self._size is None:  # nobody told how much it is: the end is the end
                    return
                why = "the connection ended early"
            except StartAnew as anew:
                self._check_size(anew.size)
                part.restart()
                why = str(anew)
            except Broken as broken:
                why, asked = str(broken), broken.retry_after
            if self._is_whole(part):
                return
            turn = 0 if part.size > furthest else turn + 1
            furthest = max(furthest, part.size)
            self._tell("waiting", part.size, why)
            if turn >= self._patience.tries:
                kept = "What was downloaded is kept: try again to go on."
                then = kept if part.size else "Try again later."
                raise PullError(f"{self._remote.spec.source}: {why}. {then}")
            self._wait(self._patience.after(asked, max(0, turn - 1)))

    def _is_whole(self, part: Part) -> bool:
        return self._size is not None and part.size >= self._size

    def _connect(self, part: Part) -> None:
        """Append what one connection gives. No ETag is asked for where a hash will tell: the same
        file has another one on another server.
        """
        remote = self._remote
        etag = part.origin.etag if remote.sha256 is None else None
        with opened(remote.url, remote.headers, self._patience, part.size, etag) as body:
            self._check_size(body.size)
            if body.start and etag and body.etag not in (None, etag):
                raise StartAnew  # of another file, and no hash would tell
            self._copy(body, part)

    def _copy(self, body: Body, part: Part) -> None:
        pace = _Pace(self._patience)
        place = body.start
        for chunk in body.chunks(self._limit.chunk):
            self._stop_if_asked()
            if place != part.size:  # it sends the whole file, changed or not
                self._begin_anew(part, chunk)
            if self._size is not None and part.size + len(chunk) > self._size:
                raise PullError(
                    f"{self._remote.spec.source} is longer than the Hub says ({self._size} bytes)."
                )
            if part.size == body.start:
                part.knows(body.etag)
            part.add(chunk)
            place = part.size
            self._tell("downloading", part.size)
            pace.count(len(chunk))
            self._limit.spend(len(chunk))
            pace.go_on()

    def _begin_anew(self, part: Part, chunk: bytes) -> None:
        """Give up what is there for a file from its beginning, but not for what is no model."""
        if not may_begin(0, chunk):
            raise PullError(f"{self._remote.spec.source}: what the server sends is no GGUF file.")
        part.restart()

    def _check_size(self, size: int | None) -> None:
        """Refuse a file that is not as long as it should be."""
        self._size = self._size or size
        if size is not None and size != self._size:
            raise PullError(
                f"{self._remote.spec.source}: the server has {size} bytes, the Hub says "
                f"{self._size}."
            )

    def _keep_record(self, part: Part, checked: Checked) -> None:
        origin = part.origin
        record = Record(
            repo=origin.repo,
            file=origin.file,
            size=part.size,
            sha256=part.sha256,
            checked=checked,
            commit=self._remote.commit,
            licence=self._remote.licence,
        )
        try:
            self._store.add(record)
        except OSError as error:
            raise PullError(f"Cannot write beside {self._target}: {reason(error)}.") from None

    def _tell(self, stage: Stage, done: int, note: str = "") -> None:
        """Report; what was reached once is never taken back."""
        self._furthest = max(self._furthest, done)
        shown = done if stage == "checking" else self._furthest
        source = self._remote.spec.source
        self._report(Progress(source, stage, shown, self._size, note))

    def _stop_if_asked(self) -> None:
        if self._stopped():
            raise Paused

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._stop_if_asked()
            time.sleep(min(PAUSE_STEP_S, left))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the file's lock, once it is free."""
        lock = Lock(self._target.with_name(self._target.name + LOCK))
        while not self._has(lock):
            part_size = self._store.downloaded(self._remote.spec)
            self._tell("waiting", part_size, "another pull of it is running")
            self._wait(LOCK_PAUSE_S)
        try:
            yield
        finally:
            lock.release()

    def _has(self, lock: Lock) -> bool:
        """Take the lock if it is free, in a folder that others may have removed meanwhile."""
        try:
            make_private(self._target.parent)
        except OSError as error:
            raise PullError(f"Cannot make {self._target.parent}: {reason(error)}.") from None
        return lock.take()


class _Pace:
    """Notices a connection that is too slow to be worth keeping. Only waiting for it counts."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._waited_s, self._bytes = 0.0, 0
        self._since = time.monotonic()

    def count(self, n: int) -> None:
        """Take in bytes that came. Raises Broken where they are too few for too long."""
        self._bytes += n
        self._waited_s += time.monotonic() - self._since
        if self._waited_s >= self._patience.slow_s:
            if self._bytes < self._patience.slowest_bps * self._waited_s:
                raise Broken("the connection was too slow")
            self._waited_s, self._bytes = 0.0, 0

    def go_on(self) -> None:
        """Begin to wait for more."""
        self._since = time.monotonic()
