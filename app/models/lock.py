"""Who may change a file of the store: whoever holds its lock, which ends with its process.

The lock is a file beside it. Only its holder may delete that, so a lock counts only while its file
still bears the name.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from app.errors import PullError, reason

BUSY = (errno.EWOULDBLOCK, errno.EACCES)


class Lock:
    """The lock at a path. It cannot be taken where its folder is gone: who wants it makes that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Take it if it is free, and return whether it is held now. Raises PullError."""
        descriptor = -1
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if _is_free(descriptor) and os.fstat(descriptor).st_ino == self._path.stat().st_ino:
                self._descriptor, descriptor = descriptor, -1
        except FileNotFoundError:  # deleted by who held it, or the folder with it
            return False
        except OSError as error:
            raise PullError(f"Cannot lock {self._path}: {reason(error)}.") from None
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return self._descriptor is not None

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_free(descriptor: int) -> bool:
    """Lock what is open, if nobody else has. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in BUSY:
            raise
        return False
    return True
