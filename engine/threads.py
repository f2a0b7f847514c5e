"""How many threads compute, and how they wait for each other.

Decided in the app's process: once OpenMP is loaded with bound threads, a process sees one core.
"""

from __future__ import annotations

import os

import psutil

ENVIRONMENT = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores", "GOMP_SPINCOUNT": "100000"}
"""One compute thread a core, spinning for about a millisecond: long enough to be awake for the next
forward. Unbound threads that share a core, which another busy program brings about, wait out their
spin at every barrier: a step of a 20M model was seen to take 500 ms instead of 0.6. What the
environment already says wins."""


def default_threads() -> int:
    """Return the physical cores that this process may use: more threads do not decode faster."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    physical = psutil.cpu_count(logical=False)
    return max(1, min(n for n in (allowed, physical) if n))
