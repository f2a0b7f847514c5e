"""Ids that are given out before anything is written, so that nobody waits for the disk.

An id is milliseconds since 1970 and 20 random bits: it grows with time, fits SQLite's 63 bits until
the year 2248, and two processes that write the same file do not meet.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

RANDOM_BITS = 20


class Ids:
    """Gives out ids, each larger than the one before. May be used from several threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """clock: seconds since 1970."""
        self._clock = clock
        self._last = 0
        self._lock = threading.Lock()

    def new(self) -> int:
        """Return the next id."""
        now = int(self._clock() * 1000) << RANDOM_BITS
        with self._lock:
            self._last = max(self._last + 1, now + secrets.randbits(RANDOM_BITS))
            return self._last
