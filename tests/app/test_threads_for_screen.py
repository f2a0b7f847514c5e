"""A small model leaves a core to the screen; nobody who said a number gets another."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app import threads_for_screen
from app.threads_for_screen import SMALL_BYTES, leave_core_to_screen, told_of_chat
from engine import PairSettings
from engine.system.cores import Cores


@pytest.fixture(autouse=True)
def even(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have cores that are all alike."""
    monkeypatch.setattr(threads_for_screen, "count_cores", lambda: Cores(4))


@pytest.fixture
def small(tmp_path: Path) -> PairSettings:
    file = tmp_path / "small.gguf"
    file.write_bytes(b"GGUF")
    return PairSettings(target=str(file))


def split(folder: Path, *sizes: int) -> PairSettings:
    """Return a pair whose target is split into files of these sizes."""
    files = [folder / f"m-{i:05}-of-{len(sizes):05}.gguf" for i in range(1, len(sizes) + 1)]
    for path, size in zip(files, sizes, strict=True):
        with path.open("wb") as file:
            file.truncate(size)
    return PairSettings(target=str(files[0]))


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 3)])
def test_a_small_model_leaves_a_core_to_the_screen(
    cores: int, threads: int, small: PairSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_for_screen, "default_threads", lambda: cores)
    assert leave_core_to_screen(small) == msgspec.structs.replace(small, threads=threads)


def test_slow_cores_serve_the_screen(small: PairSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads_for_screen, "count_cores", lambda: Cores(4, 4))
    assert leave_core_to_screen(small) == small


def test_who_uses_all_cores_tells_that_the_chat_does_not(
    small: PairSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_for_screen, "default_threads", lambda: 4)
    assert told_of_chat(small, 4).startswith("The chat runs this model with threads: 3, not 4:")
    assert told_of_chat(small, 3) == ""
    assert told_of_chat(msgspec.structs.replace(small, threads=4), 4) == ""
    assert told_of_chat(msgspec.structs.replace(small, target="missing.gguf"), 4) == ""


def test_a_number_that_was_said_stays(small: PairSettings) -> None:
    said = msgspec.structs.replace(small, threads=7)
    assert leave_core_to_screen(said) == said


def test_a_larger_model_has_all_cores_and_so_has_one_that_is_not_there(tmp_path: Path) -> None:
    large, missing = tmp_path / "large.gguf", tmp_path / "missing.gguf"
    with large.open("wb") as file:
        file.truncate(SMALL_BYTES + 1)
    for path in (large, missing):
        pair = PairSettings(target=str(path))
        assert leave_core_to_screen(pair) == pair


def test_a_split_model_is_as_large_as_its_files_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_for_screen, "default_threads", lambda: 4)
    pair = split(tmp_path, 8, SMALL_BYTES)
    assert leave_core_to_screen(pair) == pair
    assert leave_core_to_screen(split(tmp_path, 8, SMALL_BYTES - 8)).threads == 3
