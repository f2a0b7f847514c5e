"""A file that is coming: FILE.part, and FILE.part.json, which says whose bytes these are.

What was written stays through pauses, crashes and kill -9; the hash is calculated along, and of an
older part by reading it once. Only `finish` gives the file its name.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec

from app.errors import PullError, reason
from app.models.hub import Remote
from app.models.store import NEW, PART, RECORD, read_beside
from app.models.stream import CHUNK
from app.private_file import for_owner

MAGIC = b"GGUF"
FLUSH_BYTES = 64 * 2**20
BATCH_BYTES, AHEAD = 4 * CHUNK, 3
"""What is handed over to be hashed at a time, for each handing over takes time; and how many of
these may wait, so that neither thread waits for the other's every one. More would leave the
processor's cache before it is hashed.
"""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Which file the bytes are of. etag: the server's, where the bytes come from."""

    repo: str
    file: str
    commit: str
    size: int | None = None
    sha256: str | None = None
    etag: str | None = None

    @staticmethod
    def of(remote: Remote) -> Origin:
        """Return it as the Hub tells it."""
        repo, file = remote.spec.repo, remote.spec.file
        assert repo is not None and file is not None, "a file of the Hub"
        return Origin(
            repo=repo, file=file, commit=remote.commit, size=remote.size, sha256=remote.sha256
        )

    def is_same(self, other: Origin) -> bool:
        """Whether it is the same file as another, as far as both can tell."""
        if self.sha256 is not None and other.sha256 is not None:
            return self.sha256 == other.sha256
        return (self.repo, self.file, self.commit) == (other.repo, other.file, other.commit)

    def goes_on_with(self, kept: Origin | None) -> bool:
        """Whether bytes of this origin are its own. Of bytes whose state was lost, the hash tells
        at the end; without one they are nobody's.
        """
        return self.sha256 is not None if kept is None else kept.is_same(self)


class Part:
    """The part of the file that will be at `target`. Use it within a `with`; hold its lock."""

    def __init__(self, target: Path, origin: Origin) -> None:
        """Go on with what is there, if it is of the same file."""
        self._target = target
        self._path = target.with_name(target.name + PART)
        self._state = target.with_name(target.name + PART + RECORD)
        kept = kept_origin(target)
        is_own = self._path.is_file() and origin.goes_on_with(kept)
        self.origin = msgspec.structs.replace(origin, etag=kept.etag if kept and is_own else None)
        try:
            if not is_own:  # before the state changes hands
                self._path.unlink(missing_ok=True)
            self._save()
            self._file = open(  # noqa: SIM115 (the part closes it)
                self._path, "ab", buffering=0, opener=for_owner
            )
        except OSError as error:
            raise _about_disk(error, target) from None
        self._hash = hashlib.sha256()
        self._hasher = ThreadPoolExecutor(1, thread_name_prefix="hash")
        self._hashing: deque[Future[None]] = deque()
        self._batch: list[bytes | memoryview] = []
        self._batch_bytes = 0
        self._flusher = ThreadPoolExecutor(1, thread_name_prefix="flush")
        self._flushing: Future[None] | None = None
        self._flushed = 0
        self.size = 0

    def __enter__(self) -> Part:
        return self

    def __exit__(self, *_: object) -> None:
        self._hasher.shutdown()
        self._flusher.shutdown()
        with suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()

    def read(self, report: Callable[[int], None]) -> None:
        """Calculate the hash of what is there; report: called with the bytes so far."""
        with self._path.open("rb", buffering=0) as old:
            while chunk := old.read(CHUNK):
                self._take_in(chunk)
                self.size += len(chunk)
                report(self.size)

    def add(self, chunk: bytes) -> None:
        """Append bytes. Raises PullError on a full disk, and if the file begins as no GGUF does."""
        if self.size < len(MAGIC) and not may_begin(self.size, chunk):
            raise self._no_model()
        view = memoryview(chunk)
        while view:
            try:
                n = self._file.write(view)
            except OSError as error:
                raise _about_disk(error, self._target) from None
            self._take_in(view[:n])
            self.size += n
            view = view[n:]
        self._flush()

    def _flush(self) -> None:
        """Have the disk begin with what came, lest all of it wait for the end."""
        is_idle = self._flushing is None or self._flushing.done()
        if is_idle and self.size - self._flushed >= FLUSH_BYTES:
            self._check_flush()
            self._flushed = self.size
            self._flushing = self._flusher.submit(os.fsync, self._file.fileno())

    def _check_flush(self) -> None:
        """Raise PullError if the disk lost what it began with: Linux tells a descriptor once."""
        try:
            if self._flushing is not None:
                self._flushing.result()
        except OSError as error:
            raise _about_disk(error, self._target) from None

    def _take_in(self, chunk: bytes | memoryview) -> None:
        """Hash on another thread, in order, while the next bytes come."""
        self._batch.append(chunk)
        self._batch_bytes += len(chunk)
        if self._batch_bytes >= BATCH_BYTES:
            self._wait_for_hash(but=AHEAD - 1)
            self._hand_over()

    def _hand_over(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        self._hashing.append(self._hasher.submit(_update, self._hash, batch))

    def _hashed(self) -> None:
        """Wait until all is hashed."""
        self._hand_over()
        self._wait_for_hash()

    def _wait_for_hash(self, but: int = 0) -> None:
        """Wait for all batches but the last so many."""
        while len(self._hashing) > but:
            self._hashing.popleft().result()

    def knows(self, etag: str | None) -> None:
        """Remember the server's ETag: with it, it tells whether the file has changed."""
        if etag != self.origin.etag:
            self.origin = msgspec.structs.replace(self.origin, etag=etag)
            self._save()

    def restart(self) -> None:
        """Throw away what is there."""
        self._hashed()
        self._file.truncate(0)
        self._hash = hashlib.sha256()
        self.size = self._flushed = 0
        self.origin = msgspec.structs.replace(self.origin, etag=None)
        self._save()

    @property
    def sha256(self) -> str:
        """The hash of the bytes so far."""
        self._hashed()
        return self._hash.hexdigest()

    def settle(self) -> None:
        """Bring all of it to the disk, and take away another file that has its name: the record,
        which comes next, would otherwise say of that one that it is good.
        """
        if self.size < len(MAGIC):
            raise self._no_model()
        self._check_flush()
        try:
            os.fsync(self._file.fileno())
            self._target.unlink(missing_ok=True)
        except OSError as error:
            raise _about_disk(error, self._target) from None

    def finish(self) -> None:
        """Give the file its name, in one step; `settle` came before."""
        try:
            if os.fstat(self._file.fileno()).st_ino != self._path.stat().st_ino:
                raise FileNotFoundError
            self._path.replace(self._target)
        except FileNotFoundError:
            raise PullError(f"{self._path} was deleted on the way; try again.") from None
        except OSError as error:
            raise _about_disk(error, self._target) from None
        _bring_to_disk(self._target.parent)
        self._state.unlink(missing_ok=True)

    def _no_model(self) -> PullError:
        self.restart()
        return PullError(f"{self.origin.repo}:{self.origin.file} is no GGUF file.")

    def _save(self) -> None:
        new = self._state.with_name(self._state.name + NEW)
        try:
            with open(new, "wb", opener=for_owner) as file:
                file.write(msgspec.json.encode(self.origin))
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._state)
        except OSError as error:
            raise _about_disk(error, self._target) from None


def kept_origin(target: Path) -> Origin | None:
    """Return which file the bytes are of that came for a target; None if nobody knows."""
    try:
        return msgspec.json.decode(read_beside(target, PART + RECORD), type=Origin)
    except (OSError, ValueError, RecursionError):
        return None


def _update(digest: hashlib._Hash, batch: Sequence[bytes | memoryview]) -> None:
    for chunk in batch:
        digest.update(chunk)


def may_begin(size: int, chunk: bytes) -> bool:
    """Whether a GGUF file of which there are so many bytes may go on like this."""
    wanted = MAGIC[size : size + len(chunk)]
    return chunk[: len(wanted)] == wanted


def _bring_to_disk(folder: Path) -> None:
    """Have a power cut leave the names in a folder as they are, where its disk knows how to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _about_disk(error: OSError, target: Path) -> PullError:
    """Say what a failing disk means for a download."""
    kept = ". What was downloaded is kept" if _is_begun(target) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return PullError(f"The disk of {target.parent} is full{kept}: make room and try again.")
    return PullError(f"Cannot write {target}: {reason(error)}{kept}.")


def _is_begun(target: Path) -> bool:
    """Whether something was downloaded."""
    try:
        return target.with_name(target.name + PART).stat().st_size > 0
    except OSError:
        return False
