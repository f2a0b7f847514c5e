"""Curves are kept for what was measured: the way back of rejected tokens is part of their cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import PairSettings
from tests import tiny
from tests.engine.in_process import loaded


def test_each_way_back_has_curves_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.costs.calibration.behaves", lambda *_, **__: 1.0)
    monkeypatch.setattr("engine.costs.calibration.QUIET", 9.0)
    target = str(tiny.write("lfm2", tmp_path / "target.gguf"))
    seen = []
    for drafter in ("none", "lookup", "none", "lookup"):
        costs = str(tmp_path / "costs")
        with loaded(PairSettings(target=target, drafter=drafter, n_ctx=256, costs=costs)) as engine:
            ready = engine.ready(1)
            assert ready.costs is not None
            seen.append((ready.rollback, ready.costs.kept))
    assert seen == [("replay", False), ("snapshots", False), ("replay", True), ("snapshots", True)]


def test_kept_curves_are_read_at_the_pace_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were kept at that of the last answer, which was deep in a text, or beside other work."""
    monkeypatch.setattr("engine.costs.calibration.QUIET", 9.0)
    target = str(tiny.write("llama", tmp_path / "target.gguf"))
    settings = PairSettings(target=target, drafter="none", n_ctx=256, costs=str(tmp_path / "costs"))
    seen = []
    for pace in (None, 0.5):
        monkeypatch.setattr("engine.costs.calibration.behaves", lambda *_, now=pace, **__: now)
        with loaded(settings) as engine:
            seen.append(engine.curves.measured())
    assert seen[1].target_s == pytest.approx({n: s / 2 for n, s in seen[0].target_s.items()})
