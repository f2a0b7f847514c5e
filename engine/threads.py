"""How many threads compute.

Decided in the app's process: once OpenMP is loaded with bound threads, a process sees one core.
Linux files are read under a root passed in.
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from engine.cgroups import cgroups, read

QUOTA_FILES = (("cpu.max", ""), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
"""Where a cgroup's microseconds of processor stand, and of how many: version 2, version 1."""


def default_threads(root: Path = Path("/")) -> int:
    """Return the physical cores that this process may use: more threads do not decode faster.

    Of a container's quota whole cores: where it is spent, all threads stand still, and before that
    each waits for the slowest at every barrier.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    physical = psutil.cpu_count(logical=False)
    quotas = [cores for folder in cgroups(root, "cpu") for cores in _quota(folder)]
    return max(1, min([n for n in (allowed, physical) if n] + quotas, default=1))


def _quota(cgroup: Path) -> list[int]:
    """Return the whole cores that a cgroup may use, nothing if it has no limit."""
    for quota, period in QUOTA_FILES:
        found = (read(cgroup / quota) + " " + (read(cgroup / period) if period else "")).split()
        if len(found) == 2 and all(map(str.isdigit, found)) and int(found[1]):
            return [int(found[0]) // int(found[1])]
    return []
