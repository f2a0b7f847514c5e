"""How many threads compute.

Decided in the app's process: once OpenMP is loaded with bound threads, a process sees one core.
Linux files are read under a root passed in.
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from engine.system.cgroups import quotas


def default_threads(root: Path = Path("/")) -> int:
    """Return the physical cores that this process may use: more threads do not decode faster.

    Of a container's quota whole cores: where it is spent, all threads stand still, and before that
    each waits for the slowest at every barrier.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    physical = psutil.cpu_count(logical=False)
    return max(1, min([n for n in (allowed, physical) if n] + quotas(root), default=1))
