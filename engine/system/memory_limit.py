"""Bounds what foreign code takes of memory, where the system says what is taken (Linux)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATM = Path("/proc/self/statm")
"""Its first figure: the pages of all that the process has mapped."""


@contextmanager
def memory_limit(size_bytes: int) -> Iterator[None]:
    """Let the process map no more than this beyond what it has, while the block runs; what needs
    more raises MemoryError.
    """
    if not STATM.exists():
        yield
        return
    import resource  # which Windows lacks

    mapped = int(STATM.read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = mapped + size_bytes
    lower = limit if soft == resource.RLIM_INFINITY else min(limit, soft)
    resource.setrlimit(resource.RLIMIT_AS, (lower, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
