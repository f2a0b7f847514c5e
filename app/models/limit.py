"""A limit on bandwidth, shared by all downloads that run at once."""

from __future__ import annotations

import threading
import time

from app.errors import SettingsError
from app.models.stream import CHUNK

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
BURST_S = 0.25


class Limit:
    """At most so many bytes a second; None: no limit."""

    def __init__(self, bytes_per_s: float | None = None) -> None:
        self._rate = bytes_per_s
        self._lock = threading.Lock()
        self._free_at = 0.0

    @property
    def chunk(self) -> int:
        """How many bytes to read at a time: few where they take long."""
        return CHUNK if self._rate is None else max(1, min(CHUNK, int(BURST_S * self._rate)))

    @staticmethod
    def parse(text: str | None) -> Limit:
        """Read 500k, 2.5M or 1G: bytes a second. Raises SettingsError."""
        if text is None:
            return Limit()
        number, unit = text.strip().lower().removesuffix("b"), ""
        if number and number[-1] in UNITS:
            number, unit = number[:-1], number[-1]
        try:
            rate = float(number) * UNITS[unit]
        except ValueError:
            rate = 0.0
        if not 1.0 <= rate < float("inf"):
            raise SettingsError(
                f"--limit-rate: {text!r} is no rate of 1 byte or more; write 500k, 2.5M or 1G."
            )
        return Limit(rate)

    def spend(self, n_bytes: int) -> None:
        """Wait until so many bytes more are within the limit."""
        if self._rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._free_at = max(self._free_at, now - BURST_S) + n_bytes / self._rate
            wait_s = self._free_at - now
        if wait_s > 0.0:
            time.sleep(wait_s)
