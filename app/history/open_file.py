"""Which file is at a path, and what is in one that this process has open, be it deleted by now.

Nothing is opened here: closing another descriptor of a database would drop the locks on it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

File: TypeAlias = tuple[int, int]
"""What tells a file from all others, whatever its name."""
DESCRIPTORS = Path("/dev/fd")
MOST_BYTES = 2**30
"""Of a file that is read whole: more would be hard on the machine."""
JOURNALLED, ROLLBACK = slice(18, 20), b"\x01\x01"
"""Where a database says how it is written, and what with a rollback journal."""


def file_at(path: Path) -> File | None:
    """Return which file is there, None if none is. Raises OSError where that cannot be seen."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def is_replaced(path: Path, file: File) -> bool:
    """Whether another file is there by now, as far as that can be seen."""
    try:
        return file_at(path) not in (None, file)
    except OSError:
        return False


def content_of(file: File) -> bytes:
    """Return a database that is open here, b"" if it is not, is too large, or has a log beside it
    that belongs to it.
    """
    with suppress(OSError):
        for name in os.listdir(DESCRIPTORS):
            with suppress(OSError):  # the descriptor that lists them is closed by now
                found = os.fstat(int(name))
                if (found.st_dev, found.st_ino) == file and found.st_size <= MOST_BYTES:
                    content = os.pread(int(name), found.st_size, 0)
                    return content if content[JOURNALLED] == ROLLBACK else b""
    return b""
