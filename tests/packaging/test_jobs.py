"""How many compilers run at once, on machines and in containers that we do not have."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

MEMINFO = "MemTotal: 99000000 kB\nMemAvailable: {} kB\n"
PLENTY = MEMINFO.format(64 * 10**6)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, in a process that may use 16 cores."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    return importlib.import_module("setup_jobs")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/meminfo": PLENTY}, 16),
        ({"proc/meminfo": MEMINFO.format(8 * 10**6)}, 5),
        ({"proc/meminfo": MEMINFO.format(10**5)}, 1),
        ({"proc/meminfo": PLENTY, "sys/fs/cgroup/memory.max": "4000000000\n"}, 2),
        ({"proc/meminfo": PLENTY, "sys/fs/cgroup/memory.max": "max\n"}, 16),
        (
            {"proc/meminfo": PLENTY, "sys/fs/cgroup/memory/memory.limit_in_bytes": "6100000000\n"},
            4,
        ),
        ({"proc/meminfo": PLENTY, "sys/fs/cgroup/cpu.max": "350000 100000\n"}, 3),
        ({"proc/meminfo": PLENTY, "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        ({"proc/meminfo": PLENTY, "sys/fs/cgroup/cpu.max": "max 100000\n"}, 16),
        (
            {
                "proc/meminfo": PLENTY,
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            2,
        ),
        (
            {
                "proc/meminfo": PLENTY,
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            16,
        ),
        (
            {
                "proc/meminfo": PLENTY,
                "proc/self/cgroup": "0::/user.slice/one.scope\n",
                "sys/fs/cgroup/user.slice/memory.max": "3200000000\n",
            },
            2,
        ),
    ],
)
def test_no_more_compilers_run_than_there_are_cores_and_memory_for(
    jobs: Any, tmp_path: Path, files: dict[str, str], expected: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert jobs.compilers({}, tmp_path) == expected


@pytest.mark.parametrize(("given", "expected"), [("40", 40), ("0", 1), ("", 1), ("many", 1)])
def test_the_person_decides_how_many(jobs: Any, tmp_path: Path, given: str, expected: int) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text(MEMINFO.format(10**6))
    assert jobs.compilers({"CMAKE_BUILD_PARALLEL_LEVEL": given}, tmp_path) == expected
