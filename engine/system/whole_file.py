"""A file in its place at once: all of it or nothing, whenever its writer dies. Standard library
only.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".new"
"""How the name of a file ends that is being written, or whose writer was killed."""


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file so that nobody ever finds half of it. mode: its rights, less the umask's.
    Raises OSError and leaves what was there.
    """
    with beside(path, content, mode) as whole:
        os.replace(whole, path)


@contextmanager
def beside(path: Path, content: bytes, mode: int = 0o600) -> Iterator[Path]:
    """Write a file beside another one's place, down to the disk; at the end it is gone if it is
    still there. Raises OSError, which names the place where none can be made.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        error.filename = str(path)
        raise
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)
