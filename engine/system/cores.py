"""Which cores compute: where a processor has cores of several speeds, the fast ones.

At every barrier all threads wait for the slowest, so n of them are worth n times the slowest core.
Linux files are read under a root passed in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from engine.system.cgroups import read

CPUS = "sys/devices/system/cpu"
SIBLINGS = ("core_cpus_list", "thread_siblings_list")
"""Where the logical processors of a core stand, since Linux 5.2 and before."""
INTEL_FAST = "sys/devices/cpu_core/cpus"
"""Intel's fast cores, where there are others, which have no wide vector units."""
USUAL_CAPACITY = 1024
APPLE_FAST = "hw.perflevel0.physicalcpu"
ANY_CORES = "cores"


class Cores(NamedTuple):
    """How many cores this process may use. slow: those that would only be waited for.

    places: where threads are bound, in OpenMP's words (OMP_PLACES), the fast ones first.
    """

    fast: int
    slow: int = 0
    places: str = ANY_CORES


class _Core(NamedTuple):
    """speed: relative to others, 0 if it is not worth a thread; cpus: its logical processors."""

    speed: int
    cpus: Sequence[int]


def count_cores(root: Path = Path("/")) -> Cores:
    """Look at the cores. Where nothing tells their speeds, all are fast."""
    found = sorted(_linux_cores(root), key=lambda core: -core.speed)  # of equal ones, as before
    if not found:
        return _counted()
    worth = [n * core.speed for n, core in enumerate(found, 1)]
    fast = 1 + worth.index(max(worth))
    if fast == len(found):
        return Cores(fast)
    places = ",".join(f"{{{','.join(map(str, core.cpus))}}}" for core in found)
    return Cores(fast, len(found) - fast, places)


def _linux_cores(root: Path) -> Iterator[_Core]:
    """Yield the cores that this process may use, by their first processor."""
    cpus: dict[str, list[int]] = {}
    for cpu in _allowed():
        texts = (read(root / CPUS / f"cpu{cpu}/topology/{name}").strip() for name in SIBLINGS)
        siblings = next(filter(None, texts), "")
        if not siblings:
            return
        cpus.setdefault(siblings, []).append(cpu)
    strong = _listed(read(root / INTEL_FAST)).intersection(_allowed())
    for of_core in cpus.values():
        capacity = read(root / CPUS / f"cpu{of_core[0]}/cpu_capacity").strip()
        is_weak = bool(strong) and strong.isdisjoint(of_core)
        speed = int(capacity) if capacity.isdecimal() else 0
        yield _Core(0 if is_weak else speed or USUAL_CAPACITY, of_core)


def _allowed() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _listed(text: str) -> set[int]:
    """Return the numbers of a list such as "0-3,8"."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return found


def _counted() -> Cores:
    """Count the cores of a system that does not list them."""
    n = max(1, min(filter(None, (len(_allowed()), psutil.cpu_count(logical=False)))))
    fast = _apple_fast() if sys.platform == "darwin" else n
    return Cores(min(fast, n), max(0, n - fast)) if fast else Cores(n)


def _apple_fast() -> int:
    """Ask macOS for the performance cores; 0 where all are alike."""
    try:
        asked = subprocess.run(
            ("sysctl", "-n", APPLE_FAST), capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    told = asked.stdout.strip()
    return int(told) if told.isdecimal() else 0
