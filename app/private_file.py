"""Files of the person: written whole or not at all, and readable by their owner alone.

A symlink stays one: what it points to is written, as whoever keeps their settings in a repository
of their own expects.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from app.paths import make_private
from engine import beside, write_whole


def write_private(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever finds half of it; its folder is made. Raises OSError."""
    path = Path(os.path.realpath(path))
    make_private(path.parent)
    write_whole(path, content)


def replace(path: Path, content: bytes) -> None:
    """Write a file in the place of another, whose rights it keeps. Raises OSError."""
    path = Path(os.path.realpath(path))
    with beside(path, content) as whole:
        with suppress(OSError):  # it has gone meanwhile, or its disk knows no rights
            whole.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(whole, path)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, all of it or nothing; its folder is made.

    Raises FileExistsError, OSError.
    """
    make_private(path.parent)
    with beside(path, content) as whole:
        try:
            os.link(whole, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            os.replace(whole, path)


def for_owner(path: str, flags: int) -> int:
    """Open a file which, if it is made thereby, its owner alone may read: an opener of `open`.

    Raises OSError, also for a pipe that nobody reads, which would take for ever.
    """
    return os.open(path, flags | os.O_NONBLOCK, 0o600)
