"""Everything that belongs to a name, fetched together: what is here already, what is to come, and
the downloads themselves, several at once.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from app.errors import PullError
from app.hardware import disk_at
from app.models import hub
from app.models.catalog import ModelSpec
from app.models.download import Download, Paused, Progress
from app.models.hub import Remote
from app.models.limit import Limit
from app.models.patience import Patience
from app.models.store import Installed, Record, Store
from app.models.stream import CHUNK

AT_ONCE = 3
SPARE_BYTES = 256 * 2**20
"""Left free on the disk."""
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Plan:
    """here: what need not be fetched; to_fetch: what the Hub says of the rest; begun: bytes of that
    which an earlier run left.
    """

    name: str
    here: tuple[tuple[ModelSpec, Installed], ...]
    to_fetch: tuple[Remote, ...]
    begun: int

    @property
    def total_bytes(self) -> int:
        """Bytes of all files that are to come, as far as the Hub tells."""
        return sum(remote.size or 0 for remote in self.to_fetch)

    @property
    def missing_bytes(self) -> int:
        """Bytes still to fetch."""
        return max(0, self.total_bytes - self.begun)


def plan(name: str, models: Sequence[ModelSpec], store: Store, patience: Patience) -> Plan:
    """Look at what is here, and ask the Hub about the rest. Raises PullError."""
    here, to_fetch, begun = [], [], 0
    for spec in dict.fromkeys(models):
        found = store.find(spec)
        if found is not None:
            here.append((spec, found))
        elif spec.repo is None:
            raise PullError(f"{spec.own_path} is not there, and nothing says where to get it.")
        else:
            to_fetch.append(hub.look_up(spec, patience))
            begun += store.downloaded(spec)
    return Plan(name, tuple(here), tuple(to_fetch), begun)


def check_disk(plan: Plan, store: Store) -> None:
    """Raise PullError if what is to come does not fit on the disk."""
    disk = disk_at(store.folder)
    if plan.missing_bytes and disk.free_bytes < plan.missing_bytes + SPARE_BYTES:
        need, free = (n / 1e9 for n in (plan.missing_bytes + SPARE_BYTES, disk.free_bytes))
        raise PullError(
            f"{plan.name} needs {need:.2f} GB of disk, and {store.folder} has {free:.2f} GB free. "
            "Make room (`slipstream list` shows what is installed), or set SLIPSTREAM_MODELS_DIR."
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
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Stop soon; `run` then raises Paused."""
        self._stop.set()

    def run(self, plan: Plan) -> None:
        """Fetch all, and look at files of other programs that nobody checked yet.

        One that fails does not stop the others. Raises PullError, Paused.
        """
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pull") as pool:
            jobs = [pool.submit(self._fetch, remote) for remote in plan.to_fetch]
            jobs += [pool.submit(self._adopt, spec, found) for spec, found in plan.here]
            try:
                _all_done(jobs)
            except KeyboardInterrupt:
                self.stop()
                raise Paused from None
            finally:
                if not all(job.done() for job in jobs):
                    self.stop()
        errors = [error for job in jobs if (error := job.exception()) is not None]
        for error in sorted(errors, key=lambda error: isinstance(error, Paused)):
            raise error

    def _fetch(self, remote: Remote) -> None:
        download = Download(
            self.store, remote, self._tell, self._stop.is_set, self.limit, self.patience
        )
        download.run()

    def _adopt(self, spec: ModelSpec, found: Installed) -> None:
        """Hash a file that another program downloaded, and keep a record of it."""
        if found.place != "cache" or found.checked != "unchecked":
            return
        assert spec.repo is not None and spec.file is not None
        sha256 = self.hash(spec, found)
        if spec.sha256 is not None and sha256 != spec.sha256:
            raise PullError(
                f"{found.path} has the hash {sha256[:12]}…, not {spec.sha256[:12]}… as in "
                "models.toml. Delete it from the Hugging Face cache, and pull again."
            )
        self.store.add(
            Record(
                repo=spec.repo,
                file=spec.file,
                size=found.size,
                sha256=sha256,
                checked="verified" if spec.sha256 else "size only",
                commit=spec.commit,
                licence=spec.licence,
                path=str(found.path),
            )
        )

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
            raise PullError(f"Cannot read {found.path}: {error.strerror}.") from None
        return digest.hexdigest()

    def _tell(self, progress: Progress) -> None:
        with self._lock:
            self.report(progress)


def _all_done(jobs: Sequence[Future[None]]) -> None:
    """Wait for all, and wake up now and then, so that Ctrl-C is heard."""
    left = set(jobs)
    while left:
        left = wait(left, POLL_S, FIRST_COMPLETED).not_done
