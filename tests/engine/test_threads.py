"""How many threads, and what the engine process is told about them."""

from __future__ import annotations

import os

import pytest

from engine import threads


@pytest.mark.parametrize(("allowed", "physical", "expected"), [(8, 4, 4), (2, 4, 2), (3, None, 3)])
def test_threads_are_the_physical_cores_that_may_be_used(
    allowed: int, physical: int | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(allowed)), raising=False)
    monkeypatch.setattr(threads.psutil, "cpu_count", lambda logical: physical)
    assert threads.default_threads() == expected
