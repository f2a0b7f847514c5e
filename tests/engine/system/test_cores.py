"""Which cores compute, by what Linux and macOS say of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.process.environment import environment
from engine.system import cores
from engine.system.cores import Cores, count_cores
from engine.system.threads import default_threads


def have(monkeypatch: pytest.MonkeyPatch, allowed: Sequence[int], physical: int) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(allowed), raising=False)
    monkeypatch.setattr(cores.psutil, "cpu_count", lambda logical: physical)


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def lay_out(root: Path, siblings: Sequence[str], capacities: Mapping[int, int] = {}) -> None:
    """Write what Linux lists: for each processor those of its core, and its capacity."""
    for cpu, listed in enumerate(siblings):
        write(root, f"sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list", listed)
    for cpu, capacity in capacities.items():
        write(root, f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity", str(capacity))


def alone(n: int) -> list[str]:
    return [str(cpu) for cpu in range(n)]


PHONE = (alone(8), dict(enumerate([325] * 3 + [800] * 4 + [1024])))
EVEN = (alone(4), dict.fromkeys(range(4), 1024))
NEARLY_EVEN = (alone(4), dict(enumerate([1024, 1024, 950, 950])))


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (EVEN, Cores(4)),
        (NEARLY_EVEN, Cores(4)),
        ((alone(4), {}), Cores(4)),
        ((alone(4), dict.fromkeys(range(4), 0)), Cores(4)),
        (PHONE, Cores(5, 3, "{7},{3},{4},{5},{6},{0},{1},{2}")),
        ((["0-1", "0-1", "2-3", "2-3"], {}), Cores(2)),
    ],
)
def test_so_many_cores_compute_as_are_worth_most_when_all_wait_for_the_slowest(
    board: tuple[Sequence[str], Mapping[int, int]],
    expected: Cores,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    have(monkeypatch, range(len(board[0])), 8)
    lay_out(tmp_path, *board)
    assert count_cores(tmp_path) == expected


def test_slow_cores_are_left_out_though_they_are_numbered_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, range(8), 8)
    lay_out(tmp_path, alone(8), dict(enumerate([400] * 4 + [1024] * 4)))
    assert count_cores(tmp_path) == Cores(4, 4, "{4},{5},{6},{7},{0},{1},{2},{3}")
    assert default_threads(tmp_path) == 4
    assert environment(tmp_path)["OMP_PLACES"].startswith("{4},")


INTEL = ["0-1", "0-1", "2-3", "2-3", "4", "5", "6", "7"]
"""Two fast cores of two threads each, and four slow ones."""


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (range(8), Cores(2, 4, "{0,1},{2,3},{4},{5},{6},{7}")),
        ((0, 2, 3, 4), Cores(2, 1, "{0},{2,3},{4}")),
        ((0, 1), Cores(1)),
        ((4, 5, 6), Cores(3)),
    ],
)
def test_intel_s_slow_cores_do_not_compute(
    allowed: Sequence[int], expected: Cores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, allowed, 6)
    lay_out(tmp_path, INTEL)
    write(tmp_path, "sys/devices/cpu_core/cpus", "0-3")
    assert count_cores(tmp_path) == expected


def test_a_list_that_nobody_understands_tells_no_cores_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, range(8), 6)
    lay_out(tmp_path, INTEL)
    write(tmp_path, "sys/devices/cpu_core/cpus", "0-x,y")
    assert count_cores(tmp_path) == Cores(6)


def test_older_linuxes_name_siblings_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, range(2), 2)
    for cpu in range(2):
        write(tmp_path, f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", "0-1")
    assert count_cores(tmp_path) == Cores(1)


@pytest.mark.parametrize(
    ("told", "expected"), [("4\n", Cores(4, 4)), ("8\n", Cores(8)), ("", Cores(8))]
)
def test_a_mac_tells_its_performance_cores(
    told: str, expected: Cores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, range(8), 8)
    monkeypatch.setattr(cores.sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=told))
    assert count_cores(tmp_path) == expected
    assert count_cores(tmp_path).places == "cores"
