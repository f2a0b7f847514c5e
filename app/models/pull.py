"""Everything that belongs to a name, fetched together: what is here already, what is to come, and
the downloads themselves, several at once.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from app.errors import OFFLINE, OfflineError, PullError, reason
from app.hardware import disk_at
from app.models import hub
from app.models.catalog import ModelSpec
from app.models.download import Download, Paused, Progress
from app.models.hub import Remote
from app.models.limit import Limit
from app.models.metadata import read_metadata
from app.models.partial_file import Origin, kept_origin
from app.models.retrying import Patience
from app.models.store import Installed, Record, Store
from app.models.stream import CHUNK
from app.sizes import size

AT_ONCE = 3
ANOTHER = "what was here is another file than the Hub's"
SPARE_BYTES = 256 * 2**20
"""Left free on the disk, where nobody forces it."""
POLL_S = 0.2
LEAVE_S = 1.0
"""How long a pull that is stopped waits for its threads; one may be waiting for a dead server."""


@dataclass(frozen=True, slots=True)
class Here:
    """A file that need not be fetched. remote: what the Hub says of one that was not verified yet
    and whose hash is not known otherwise; None of all others, and where it does not tell. patience:
    of who asks the Hub if the file is wrong; None asks nobody.
    """

    spec: ModelSpec
    installed: Installed
    remote: Remote | None = None
    patience: Patience | None = None

    @property
    def is_to_hash(self) -> bool:
        """Whether there is something to learn by it."""
        is_new = self.installed.checked == "unchecked"
        is_told = self.installed.place == "cache" or self.spec.sha256 is not None
        is_ours = self.installed.place in ("cache", "store")
        return self.remote is not None or (is_new and is_told and is_ours)


@dataclass(frozen=True, slots=True)
class Plan:
    """here: what need not be fetched; to_fetch: what the Hub says of the rest; begun: bytes of that
    which an earlier run left; stale: bytes that it left of another version, which will go.
    """

    name: str
    here: tuple[Here, ...]
    to_fetch: tuple[Remote, ...]
    begun: int
    stale: int = 0

    @property
    def total_bytes(self) -> int:
        """Bytes of all files that are to come, as far as the Hub tells."""
        return sum(remote.size or 0 for remote in self.to_fetch)

    @property
    def missing_bytes(self) -> int:
        """Bytes still to fetch."""
        return max(0, self.total_bytes - self.begun)


def plan(name: str, models: Sequence[ModelSpec], store: Store, patience: Patience | None) -> Plan:
    """Look at what is here, and ask the Hub about the rest. patience: None asks nobody.

    Raises PullError, and CatalogError for a file that is cut off and that nobody tells about.
    """
    here, to_fetch, left = list[Here](), list[Remote](), {True: 0, False: 0}
    for spec in dict.fromkeys(models):
        found = store.find(spec)
        if found is not None:
            remote = _told(spec, found, patience)
            if remote is None or remote.size in (None, found.size):
                here.append(Here(spec, found, remote, patience))
                continue
        elif spec.repo is None:
            raise PullError(
                f"{spec.own_path} is not there, and nothing says where to get it: put it there, or "
                "correct its path in your models.toml."
            )
        else:
            remote = _looked_up(spec, patience)
        to_fetch.append(remote)
        left[_goes_on(remote, store)] += store.downloaded(spec)
    return Plan(name, tuple(here), tuple(to_fetch), begun=left[True], stale=left[False])


def _looked_up(spec: ModelSpec, patience: Patience | None) -> Remote:
    """Return what the Hub says of a file. Raises PullError."""
    if patience is None:
        raise OfflineError(f"{spec.source} is not here, and {OFFLINE}.")
    return hub.look_up(spec, patience)


def _told(spec: ModelSpec, found: Installed, patience: Patience | None) -> Remote | None:
    """Return what the Hub says of a file of the store that was not verified; None where it does not
    tell, or nothing is to be told. Raises CatalogError if that file is then seen to be cut off.
    """
    if found.place != "store" or found.checked == "verified" or spec.sha256 is not None:
        return None
    with suppress(PullError):
        remote = _looked_up(spec, patience)
        if remote.sha256 is not None or remote.size is not None:
            return remote
    read_metadata(found.path)
    return None


def _instead(here: Here, sha256: str, wanted: str) -> Remote:
    """Return what the Hub has instead of a wrong file. Raises PullError, also where it is not asked
    as the file is another program's.
    """
    if here.installed.place == "store":
        with suppress(OfflineError, hub.UnreachableError):
            return _looked_up(here.spec, here.patience)
    raise PullError(
        f"{here.installed.path} has the hash {sha256[:12]}…, not {wanted[:12]}… as in models.toml. "
        "Delete it, and pull again."
    )


def _goes_on(remote: Remote, store: Store) -> bool:
    """Whether a download keeps what an earlier one left."""
    is_too_long = remote.size is not None and store.downloaded(remote.spec) > remote.size
    kept = kept_origin(store.path_of(remote.spec))
    return Origin.of(remote).goes_on_with(kept) and not is_too_long


def check_disk(plan: Plan, store: Store, spare_bytes: int = SPARE_BYTES) -> None:
    """Raise PullError if what is to come does not fit on the disk, with so much left free."""
    free_bytes = disk_at(store.folder).free_bytes + plan.stale
    if plan.missing_bytes and free_bytes < plan.missing_bytes + spare_bytes:
        spare = forced = ""
        if spare_bytes:
            spare = f", and {size(spare_bytes)} are to stay free"
            forced = ", or take what is to stay free by `slipstream pull --force`"
        raise PullError(
            f"{plan.name} needs {size(plan.missing_bytes)} of disk{spare}; {store.folder} has "
            f"{size(free_bytes)} free. Make room (`slipstream list` shows what is installed)"
            f"{forced}, or set SLIPSTREAM_MODELS_DIR."
        )


@dataclass
class Pull:
    """Runs a plan. report: called with each progress, from several threads, one at a time."""

    store: Store
    report: Callable[[Progress], None]
    limit: Limit = field(default_factory=Limit)
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._left = threading.Event()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Stop soon; `run` then raises Paused."""
        self._stop.set()

    def run(self, plan: Plan) -> None:
        """Fetch all, and look at files that nobody checked yet.

        One that fails does not stop the others. Raises PullError, Paused.
        """
        turns = threading.Semaphore(AT_ONCE)
        jobs = [_Job(partial(self._fetch, remote), turns) for remote in plan.to_fetch]
        jobs += [_Job(partial(self._adopt, here), turns) for here in plan.here]
        try:
            for job in jobs:
                job.start()
            self._wait_for(jobs)
        except KeyboardInterrupt:
            self.stop()
            self._wait_for(jobs)
            raise Paused from None
        finally:
            if not all(job.ended.is_set() for job in jobs):
                self.stop()
                self._left.set()
        errors = [job.error for job in jobs if job.error is not None]
        for error in sorted(errors, key=lambda error: isinstance(error, Paused)):
            raise error
        if not all(job.ended.is_set() for job in jobs):
            raise Paused

    def _wait_for(self, jobs: Sequence[_Job]) -> None:
        """Wait for all, and wake up now and then, so that Ctrl-C is heard. What hangs when it is
        stopped is left behind: what it wrote is kept, and it writes no more.
        """
        left_at = float("inf")
        while left := [job for job in jobs if not job.ended.is_set()]:
            if self._stop.is_set():
                left_at = min(left_at, time.monotonic() + LEAVE_S)
            if time.monotonic() > left_at:
                return
            left[0].ended.wait(POLL_S)

    def _fetch(self, remote: Remote) -> None:
        if self._stop.is_set():
            raise Paused
        download = Download(
            self.store, remote, self._tell, self._stop.is_set, self.limit, self.patience
        )
        download.run()

    def _adopt(self, here: Here) -> None:
        """Hash a file that was not verified yet, and keep a record of it where one can be written;
        what is another file than the Hub's is fetched.
        """
        spec, found, remote = here.spec, here.installed, here.remote
        if not here.is_to_hash:
            return
        assert spec.repo is not None and spec.file is not None
        sha256 = self.hash(spec, found)
        if spec.sha256 is not None and sha256 != spec.sha256:
            remote = _instead(here, sha256, spec.sha256)
        if remote is not None and remote.sha256 not in (None, sha256):
            self._tell(Progress(spec.source, "downloading", 0, remote.size, ANOTHER, is_anew=True))
            return self._fetch(remote)
        told = remote or spec
        record = Record(
            repo=spec.repo,
            file=spec.file,
            size=found.size,
            sha256=sha256,
            checked="verified" if told.sha256 else "size only",
            commit=told.commit,
            licence=told.licence,
            path=str(found.path) if found.place == "cache" else None,
        )
        with suppress(OSError, UnicodeError):  # of a path that is no text
            self.store.add(record)

    def hash(self, spec: ModelSpec, found: Installed) -> str:
        """Return a file's sha256. Raises Paused, PullError."""
        digest, done = hashlib.sha256(), 0
        try:
            with found.path.open("rb", buffering=0) as file:
                while chunk := file.read(CHUNK):
                    if self._stop.is_set():
                        raise Paused
                    digest.update(chunk)
                    done += len(chunk)
                    self._tell(Progress(spec.source, "checking", done, found.size))
        except OSError as error:
            raise PullError(f"Cannot read {found.path}: {reason(error)}.") from None
        return digest.hexdigest()

    def _tell(self, progress: Progress) -> None:
        with self._lock:
            if not self._left.is_set():
                self.report(progress)


class _Job(threading.Thread):
    """Does something once it is its turn. It dies with the process, as nothing waits for a thread
    that waits for a server. error: what it raised; ended: set at its end, as a `join` that Ctrl-C
    interrupts takes the thread for dead.
    """

    def __init__(self, work: Callable[[], None], turns: threading.Semaphore) -> None:
        super().__init__(name="pull", daemon=True)
        self.error: Exception | None = None
        self.ended = threading.Event()
        self._work, self._turns = work, turns

    def run(self) -> None:
        """Work; an error is kept for who asks."""
        try:
            with self._turns:
                self._work()
        except Exception as error:
            self.error = error
        finally:
            self.ended.set()
