"""Files of the person: written whole or not at all, and readable by their owner alone.

A symlink stays one: what it points to is written, as whoever keeps their settings in a repository
of their own expects.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from engine import beside, write_whole


def write_private(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever finds half of it; its folder is made. Raises OSError."""
    path = Path(os.path.realpath(path))
    _make_folder(path.parent)
    write_whole(path, content)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, all of it or nothing; its folder is made.

    Raises FileExistsError, OSError.
    """
    _make_folder(path.parent)
    with beside(path, content) as whole:
        try:
            os.link(whole, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            os.replace(whole, path)


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
