"""How many compilers may run at once: no more than there are cores and memory for.

Knows what Linux grants a process and a container; elsewhere the whole machine counts. Files are
read under a root passed in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

BYTES_PER_COMPILER = 1.5e9  # what llama.cpp's hungriest files take

# A cgroup's microseconds of processor, and of how many: version 2, version 1.
QUOTAS = (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
MEMORIES = ("memory.max", "memory.limit_in_bytes")


def compilers(env: Mapping[str, str], root: Path = Path("/")) -> int:
    """Return how many: what the person says, else what this process may use."""
    given = env.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    by_memory = [int(size / BYTES_PER_COMPILER) for size in _memories(root)]
    return max(1, min([_usable_cores(), *_quotas(root), *by_memory]))


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(root: Path) -> list[int]:
    """Return the whole cores that each cgroup may use, if it has a limit."""
    found = []
    for folder in _cgroups(root, "cpu"):
        for names in QUOTAS:
            numbers = " ".join(_read(folder / name) for name in names).split()
            if len(numbers) == 2 and all(map(str.isdecimal, numbers)) and int(numbers[1]):
                found.append(int(numbers[0]) // int(numbers[1]))
    return found


def _memories(root: Path) -> list[int]:
    """Return the bytes that are free, and those that each cgroup may hold."""
    free = re.search(r"^MemAvailable:\s*(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = [_read(c / name).strip() for c in _cgroups(root, "memory") for name in MEMORIES]
    return [int(free[1]) * 1024 if free else whole, *map(int, filter(str.isdecimal, limits))]


def _cgroups(root: Path, controller: str) -> list[Path]:
    """Return the folders of this process's cgroup and its parents, v2's and v1's."""
    mount = root / "sys/fs/cgroup"
    folders = [mount, mount / controller]  # a container sees itself there
    for line in _read(root / "proc/self/cgroup").splitlines():
        kinds, _, path = line.partition(":")[2].partition(":")
        names = [name for name in path.split("/") if name]
        if ".." not in names and (not kinds or controller in kinds.split(",")):
            top = mount / controller if kinds else mount
            folders += [top.joinpath(*names[:n]) for n in range(1, len(names) + 1)]
    return folders


def _read(path: Path) -> str:
    """Return a file's text, "" if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
