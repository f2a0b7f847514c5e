"""Cost curves on disk: what they depend on, and that no disk and no file is an error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.costs.curves import Measurement
from engine.costs.kept import VERSION, Kept, KeptCosts
from engine.costs.noise_search import Search
from engine.sampling.width_noise import WidthNoise

SEARCH = Search(WidthNoise((0.1, 0.1, 0.2, 3.0)), 99)
MEASURED = Kept(Measurement({1: 0.02, 4: 0.022, 8: 0.05}, {1: 0.002, 2: 0.003}, 0.04), SEARCH)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"weights")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "costs"


def kept(folder: Path, model: Path, threads: int = 2) -> KeptCosts:
    return KeptCosts(str(folder), [str(model)], ["cpu", threads])


def written(folder: Path, model: Path) -> Path:
    """The one file there is after a write."""
    assert kept(folder, model).write(MEASURED)
    (file,) = folder.iterdir()
    return file


def test_what_was_kept_is_found_again(folder: Path, model: Path) -> None:
    assert kept(folder, model).read() is None
    assert kept(folder, model).write(MEASURED)
    assert kept(folder, model).read() == MEASURED


def test_the_newest_is_kept(folder: Path, model: Path) -> None:
    newer = Kept(Measurement({1: 0.01}, {}, 0.01), Search())
    assert kept(folder, model).write(MEASURED) and kept(folder, model).write(newer)
    assert kept(folder, model).read() == newer
    assert len(list(folder.iterdir())) == 1, "and nothing else is left behind"


def larger(model: Path) -> None:
    model.write_bytes(b"other weights")


def newer(model: Path) -> None:
    found = model.stat()
    os.utime(model, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize("change", [larger, newer, Path.unlink], ids=["size", "date", "gone"])
def test_another_model_file_has_other_costs(
    folder: Path, model: Path, change: Callable[[Path], None]
) -> None:
    written(folder, model)
    change(model)
    assert kept(folder, model).read() is None


def test_another_machine_path_or_draft_model_has_other_costs(folder: Path, model: Path) -> None:
    written(folder, model)
    assert kept(folder, model, threads=4).read() is None
    other = model.with_name("other.gguf")
    os.link(model, other)
    assert kept(folder, other).read() is None
    assert KeptCosts(str(folder), [str(model)] * 2, ["cpu", 2]).read() is None


def test_a_link_to_the_model_is_the_model(folder: Path, model: Path) -> None:
    written(folder, model)
    link = model.with_name("link.gguf")
    link.symlink_to(model)
    assert kept(folder, link).read() == MEASURED


GOOD = {
    "version": VERSION,
    "target_s": {"1": 0.02},
    "draft_s": {},
    "noise": 0.05,
    "settles": 2,
    "returning_s": 0.01,
    "seen": {"1": 3},
    "search": {"noise": {"largest": [0.1, 0.1, 0.2, 3.0]}, "n_tokens": 99},
}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe garbage",
        b"[]",
        b"{}",
        json.dumps(GOOD).encode()[:-5],
        json.dumps({**GOOD, "version": VERSION - 1}).encode(),
        json.dumps({**GOOD, "version": VERSION + 1}).encode(),
        json.dumps({**GOOD, "target_s": {}}).encode(),
        json.dumps({**GOOD, "target_s": {"4": 0.02}}).encode(),
        json.dumps({**GOOD, "target_s": {"1": 0.02, "4": 0.0}}).encode(),
        json.dumps({**GOOD, "draft_s": {"1": -1.0}}).encode(),
        json.dumps({**GOOD, "target_s": {"one": 0.02}}).encode(),
        json.dumps({**GOOD, "target_s": {"1": "slow"}}).encode(),
        json.dumps({**GOOD, "target_s": {"1": float("nan")}}).encode(),
        json.dumps({**GOOD, "noise": None}).encode(),
        json.dumps({**GOOD, "settles": 0}).encode(),
        json.dumps({**GOOD, "returning_s": -0.1}).encode(),
        json.dumps({**GOOD, "seen": {"1": 0}}).encode(),
        json.dumps({**GOOD, "search": {"noise": {"largest": [0.1]}}}).encode(),
        json.dumps({**GOOD, "noise": "X"}).encode().replace(b"X", b"\xff"),
        b'{"x":' + b"[" * 100_000,
    ],
    ids=range(21),
)
def test_a_file_that_is_not_ours_or_damaged_is_none(
    folder: Path, model: Path, content: bytes
) -> None:
    file = written(folder, model)
    file.write_text(json.dumps(GOOD))
    good = Measurement({1: 0.02}, {}, 0.05, 2, 0.01, {1: 3})
    assert kept(folder, model).read() == Kept(good, SEARCH)
    file.write_bytes(content)
    assert kept(folder, model).read() is None
    assert kept(folder, model).write(MEASURED), "and is replaced"
    assert kept(folder, model).read() == MEASURED


def test_without_a_folder_nothing_is_kept_and_nothing_fails(model: Path) -> None:
    nowhere = KeptCosts(None, [str(model)], [])
    assert nowhere.read() is None
    assert not nowhere.write(MEASURED)


def test_a_folder_that_cannot_be_is_no_error(tmp_path: Path, model: Path) -> None:
    file = tmp_path / "a file"
    file.write_text("")
    for folder in (file, file / "below"):
        assert not kept(folder, model).write(MEASURED)
        assert kept(folder, model).read() is None
    assert file.read_text() == ""


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    file = written(folder, model)

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, failing, fail)
    assert not kept(folder, model).write(Kept(Measurement({1: 9.0}, {}), Search()))
    monkeypatch.undo()
    assert list(folder.iterdir()) == [file]
    assert kept(folder, model).read() == MEASURED


def test_the_oldest_files_go(folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.costs.kept.MOST_FILES", 2)
    first = written(folder, model)
    os.utime(first, (9, 9))
    for threads in (4, 8):
        assert kept(folder, model, threads=threads).write(MEASURED)
    assert not first.exists()
    assert (
        kept(folder, model, threads=4).read() == kept(folder, model, threads=8).read() == MEASURED
    )
    assert len(list(folder.iterdir())) == 2


def test_what_a_killed_writer_left_takes_no_place_and_goes(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.costs.kept.MOST_FILES", 2)
    first = written(folder, model)
    abandoned, on_its_way = folder / ".0123.json.ab.new", folder / ".0123.json.cd.new"
    abandoned.touch()
    os.utime(abandoned, (9, 9))
    on_its_way.touch()
    assert kept(folder, model, threads=4).write(MEASURED)
    assert not abandoned.exists()
    assert first.exists() and on_its_way.exists()


def test_nobody_else_may_look_into_the_folder(folder: Path, model: Path) -> None:
    file = written(folder, model)
    assert folder.stat().st_mode & 0o077 == 0
    assert file.stat().st_mode & 0o077 == 0
