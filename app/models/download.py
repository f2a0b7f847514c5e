"""One file from the Hub to its place: resumed whatever happened, hashed along, and named only when
it is what it should be.

Whoever comes second, in this process or another, waits for the first and finds the work done.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from app.errors import PullError
from app.models.hub import Remote
from app.models.limit import Limit
from app.models.part import Origin, Part
from app.models.patience import Patience
from app.models.store import LOCK, Checked, Record, Store
from app.models.stream import Body, Broken, StartAnew, opened

LOCK_PAUSE_S = 0.2
PAUSE_STEP_S = 0.1

Stage = Literal["checking", "downloading", "waiting", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file is. note: why it waits, "" if it does not."""

    file: str
    stage: Stage
    done: int
    size: int | None
    note: str = ""


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
        try:
            self._target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise PullError(f"Cannot make {self._target.parent}: {error.strerror}.") from None
        with self._locked():
            if self._store.find(self._remote.spec) is None:
                with Part(self._target, self._origin()) as part:
                    self._fetch(part)
        self._tell("done", self._furthest)

    def _origin(self) -> Origin:
        remote = self._remote
        assert remote.spec.repo is not None and remote.spec.file is not None
        return Origin(
            repo=remote.spec.repo,
            file=remote.spec.file,
            commit=remote.commit,
            size=remote.size,
            sha256=remote.sha256,
        )

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
        self._keep_record(part, "verified" if wanted is not None else "size only")
        part.finish()

    def _read(self, part: Part) -> None:
        """Hash what an earlier run left."""

        def report(done: int) -> None:
            self._stop_if_asked()
            self._tell("checking", done)

        part.read(report)
        if self._size is not None and part.size > self._size:
            part.restart()

    def _complete(self, part: Part) -> None:
        """Connect until all has come; give up after some tries in a row that brought nothing."""
        turn = 0
        while not self._is_whole(part):
            before = part.size
            try:
                self._connect(part)
                if self._size is None:  # nobody told how much it is: the end is the end
                    return
                raise Broken("the connection ended early")
            except StartAnew:
                part.restart()
                self._tell("downloading", 0, "the file cannot be gone on with: from the beginning")
                turn += 1
                asked = None
            except Broken as broken:
                turn = 0 if part.size > before else turn + 1
                if self._is_whole(part):
                    return
                asked = broken.retry_after
                self._tell("waiting", part.size, str(broken))
                if turn >= self._patience.tries:
                    raise PullError(
                        f"{self._remote.spec.source}: {broken}. What was downloaded is kept: run "
                        "the same command again to go on."
                    ) from None
            if turn >= self._patience.tries:
                raise PullError(f"{self._remote.spec.source}: the server does not go on.")
            self._wait(self._patience.after(asked, max(0, turn - 1)))

    def _is_whole(self, part: Part) -> bool:
        return self._size is not None and part.size >= self._size

    def _connect(self, part: Part) -> None:
        """Append what one connection gives."""
        remote = self._remote
        etag = part.origin.etag
        with opened(remote.url, remote.headers, self._patience, part.size, etag) as body:
            if body.start != part.size:  # it sends the whole file, changed or not
                part.restart()
            self._check_size(body)
            part.knows(body.etag)
            self._copy(body, part)

    def _copy(self, body: Body, part: Part) -> None:
        pace = _Pace(self._patience)
        for chunk in body.chunks(self._limit.chunk):
            self._stop_if_asked()
            if self._size is not None and part.size + len(chunk) > self._size:
                part.restart()
                raise PullError(
                    f"{self._remote.spec.source} is longer than the Hub says ({self._size})."
                )
            part.add(chunk)
            self._tell("downloading", part.size)
            pace.count(len(chunk))
            self._limit.spend(len(chunk))

    def _check_size(self, body: Body) -> None:
        self._size = self._size or body.size
        if body.size is not None and body.size != self._size:
            raise PullError(
                f"{self._remote.spec.source}: the server has {body.size} bytes, the Hub says "
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
            raise PullError(f"Cannot write beside {self._target}: {error.strerror}.") from None

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
        """Hold the file's lock, which ends with its process."""
        descriptor = os.open(
            self._target.with_name(self._target.name + LOCK), os.O_RDWR | os.O_CREAT, 0o600
        )
        try:
            while not _try_lock(descriptor):
                part_size = self._store.downloaded(self._remote.spec)
                self._tell("waiting", part_size, "another pull of it is running")
                self._wait(LOCK_PAUSE_S)
            yield
        finally:
            os.close(descriptor)


class _Pace:
    """Notices a connection that is too slow to be worth keeping."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since, self._bytes = time.monotonic(), 0

    def count(self, n: int) -> None:
        """Take in bytes that came. Raises Broken where they are too few for too long."""
        self._bytes += n
        spent = time.monotonic() - self._since
        if spent >= self._patience.slow_s:
            if self._bytes < self._patience.slowest_bps * spent:
                raise Broken("the connection was too slow")
            self._since, self._bytes = time.monotonic(), 0


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True
