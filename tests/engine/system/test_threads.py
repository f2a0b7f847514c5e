"""How many threads, and what the engine process is told about them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.system import cores, threads


def have_cores(monkeypatch: pytest.MonkeyPatch, allowed: int, physical: int | None) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(allowed)), raising=False)
    monkeypatch.setattr(cores.psutil, "cpu_count", lambda logical: physical)


@pytest.mark.parametrize(("allowed", "physical", "expected"), [(8, 4, 4), (2, 4, 2), (3, None, 3)])
def test_threads_are_the_physical_cores_that_may_be_used(
    allowed: int,
    physical: int | None,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    have_cores(monkeypatch, allowed, physical)
    assert threads.default_threads(tmp_path) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "400000 100000"}, 4),
        ({"cpu.max": "350000 100000"}, 3),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "max 100000"}, 8),
        ({"cpu.max": "900000 100000"}, 8),
        ({"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 8),
        ({"a/cpu.max": "600000 100000", "a/b/cpu.max": "max 100000"}, 6),
        ({"cpu/x/cpu.cfs_quota_us": "50000", "cpu/x/cpu.cfs_period_us": "10000"}, 5),
        ({"other/cpu.max": "100000 100000"}, 8),
    ],
)
def test_no_more_threads_compute_than_a_container_has_whole_cores(
    files: dict[str, str], expected: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    have_cores(monkeypatch, 16, 8)
    lines = {"proc/self/cgroup": "5:memory:/other\n3:cpu,cpuacct:/x\n0::/a/b\n"}
    for name, text in {**lines, **{f"sys/fs/cgroup/{name}": files[name] for name in files}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    assert threads.default_threads(tmp_path) == expected
