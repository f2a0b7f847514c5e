"""The choices that flags offer are the engine's, found without importing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import flags
from engine import PairSettings, drafters, verifiers


def test_every_way_to_verify_and_every_drafter_is_offered() -> None:
    assert flags.verifier_names() == verifiers.names()
    assert flags.drafter_names() == drafters.names()


def test_a_file_makes_a_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "ENGINE", tmp_path)
    (tmp_path / "verifiers").mkdir()
    for name in ("__init__", "two", "one"):
        (tmp_path / "verifiers" / f"{name}.py").touch()
    assert flags.verifier_names() == ["one", "two"]


def test_the_default_way_to_verify_is_the_engines() -> None:
    assert PairSettings(target="").verify == flags.DEFAULT_VERIFY
