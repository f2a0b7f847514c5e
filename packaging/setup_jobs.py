"""How many compilers may run at once: no more than there are cores and memory for.

Knows what Linux grants a process and a container; elsewhere the whole machine counts. Files are
read under a root passed in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

BYTES_PER_COMPILER = 1.5e9  # what llama.cpp's hungriest files take

MEMORIES = ("memory.max", "memory.limit_in_bytes")


def compilers(env: Mapping[str, str], root: Path = Path("/")) -> int:
    """Return how many: what the person says, else what this process may use."""
    given = env.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    by_memory = [int(size / BYTES_PER_COMPILER) for size in _memories(root)]
    return max(1, min([_usable_cores(), *linux.quotas(root), *by_memory]))


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memories(root: Path) -> list[int]:
    """Return the bytes that are free, and those that each cgroup may hold."""
    free = re.search(r"^MemAvailable:\s*(\d+) kB", linux.read(root / "proc/meminfo"), re.MULTILINE)
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    folders = linux.cgroups(root, "memory")
    limits = [linux.read(folder / name).strip() for folder in folders for name in MEMORIES]
    return [int(free[1]) * 1024 if free else whole, *map(int, filter(str.isdecimal, limits))]


def _loaded(path: Path) -> ModuleType:
    """Return a module of the engine that needs nothing of it: the rest is not installed yet."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


linux = _loaded(Path(__file__).resolve().parent.parent / "engine" / "system" / "cgroups.py")
