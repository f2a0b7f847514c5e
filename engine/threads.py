"""How many threads compute.

Decided in the app's process: once OpenMP is loaded with bound threads, a process sees one core.
"""

from __future__ import annotations

import os

import psutil


def default_threads() -> int:
    """Return the physical cores that this process may use: more threads do not decode faster."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    physical = psutil.cpu_count(logical=False)
    return max(1, min(n for n in (allowed, physical) if n))
