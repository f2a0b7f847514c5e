"""Files of the person: written whole or not at all, and readable by their owner alone.

A symlink stays one: what it points to is written, as whoever keeps their settings in a repository
of their own expects.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever finds half of it; its folder is made. Raises OSError."""
    path = Path(os.path.realpath(path))
    with _beside(path, content) as whole:
        os.replace(whole, path)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, all of it or nothing; its folder is made.

    Raises FileExistsError, OSError.
    """
    with _beside(path, content) as whole:
        try:
            os.link(whole, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            os.replace(whole, path)


@contextmanager
def _beside(path: Path, content: bytes) -> Iterator[str]:
    """Write a file beside another one's place, which is gone at the end if it is still there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        Path(name).unlink(missing_ok=True)
