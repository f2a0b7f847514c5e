"""One bit is enough: a file is what it was, or it is as good as missing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from app.models.catalog import ModelSpec
from app.models.rehash import Rehashed, rehash
from app.models.removal import STAYS, parting
from app.models.shelf import Held
from app.models.store import Record, Store
from tests.app.holding import (
    REPO,
    flip,
    install,
    path_of,
    shelf,
    spec,
    store,
    write_catalog,
    write_gguf,
)
from tests.app.models.test_store import SPEC, cached, taken_in


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog()


def checked(name: str = "big") -> Rehashed:
    (held,) = shelf().files(name)
    return rehash(held, store())


def sha256(name: str = "big") -> str:
    record = store().record(spec(name))
    assert record is not None and record.sha256 is not None
    return record.sha256


@pytest.mark.parametrize("at", [0, 5, 100, -1])
def test_a_flipped_bit_anywhere_makes_a_file_missing(at: int) -> None:
    install("big")
    good = sha256()
    assert checked().state == "verified"
    flip(path_of("big"), at)
    found = checked()
    assert found.state == "damaged" and "DAMAGED" in found.words
    assert store().find(spec("big")) is None
    assert sha256() == good != found.sha256


def test_what_is_damaged_stays_so_until_it_is_mended() -> None:
    install("big")
    flip(path_of("big"))
    assert [checked().state for _ in range(2)] == ["damaged"] * 2
    flip(path_of("big"))
    assert checked().state != "damaged"
    assert store().find(spec("big")) is not None


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_length_is_damaged(change: int) -> None:
    install("big")
    content = path_of("big").read_bytes()
    path_of("big").write_bytes(content[:-1] if change < 0 else content + b"\0")
    assert checked().state == "damaged"
    path_of("big").write_bytes(content)
    assert checked().state != "damaged"


def test_a_file_without_a_known_hash_is_compared_with_what_it_was_and_never_verified() -> None:
    install("big", checked="size only")
    found = checked()
    assert found.state == "size only" and "no hash is known" in found.words
    flip(path_of("big"))
    assert checked().state == "damaged"


def test_a_file_that_nobody_hashed_is_size_only_from_then_on() -> None:
    install("big", checked="unchecked")
    record = store().record(spec("big"))
    assert record is not None
    store().add(msgspec.structs.replace(record, sha256=None))
    assert checked().state == "size only"
    flip(path_of("big"))
    assert checked().state == "damaged"


def test_a_file_without_a_record_gets_one() -> None:
    write_gguf(path_of("big"))
    assert checked().state == "size only"
    assert sha256() == checked().sha256


def test_a_file_without_a_record_that_is_another_than_the_catalogues_is_as_good_as_missing() -> (
    None
):
    write_gguf(path_of("big"))
    strict = ModelSpec(repo=REPO, file="big.gguf", sha256="0" * 64)
    found = store().find(strict)
    assert found is not None
    assert rehash(Held(strict, found), store()).state == "damaged"
    assert store().find(strict) is None


def test_a_file_of_the_cache_is_compared_with_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--someone--models" / "snapshots" / ("c" * 40)
    cached = write_gguf(snapshot / "big.gguf")
    assert checked().state == "size only"
    flip(cached)
    assert [checked().state for _ in range(2)] == ["damaged"] * 2
    assert cached.exists() and not path_of("big").exists()
    assert store().find(spec("big")) is None, "as good as missing"
    stays = [(held.state, why) for held, why in parting(shelf(), ["big"]).stays]
    assert stays == [("damaged", STAYS["cache"])] and not parting(shelf(), ["big"]).goes
    flip(cached)
    later = cached.stat().st_mtime + 3600
    os.utime(cached, (later, later))
    assert store().find(spec("big")) is not None, "somebody has written it since"
    assert checked().state != "damaged"


def test_the_embedded_files_are_as_they_should_be() -> None:
    for held in shelf().files("demo"):
        assert rehash(held, store()).state == "verified"
    assert not store().folder.exists()


def test_a_file_of_ones_own_is_compared_with_the_hash_of_models_toml(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "own.gguf")
    found = ModelSpec(path=str(path))
    good = rehash(Held(found, store().find(found)), store())
    assert good.state == "size only"
    for given, state in ((good.sha256, "verified"), ("0" * 64, "damaged")):
        strict = ModelSpec(path=str(path), sha256=given)
        assert rehash(Held(strict, store().find(strict)), store()).state == state


def test_of_a_file_that_cannot_be_read_the_reason_is_found() -> None:
    install("big")
    (held,) = shelf().files("big")
    path_of("big").unlink()
    found = rehash(held, store())
    assert (found.state, found.sha256) == ("unreadable", None)
    assert found.words == "CANNOT BE READ: No such file or directory."


def test_in_a_store_that_cannot_be_written_what_is_found_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install("big", "small")
    flip(path_of("big"))

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    assert [checked(name).state for name in ("big", "small")] == ["damaged", "verified"]
    with pytest.raises(OSError):
        store().add(_kept("small"))


def _kept(name: str) -> Record:
    record = store().record(spec(name))
    assert record is not None
    return record


def test_a_cached_file_below_a_folder_that_is_no_text_is_checked_without_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "caf\udce9"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    link = cached(folder)
    empty = Store(tmp_path / "models")
    found = taken_in(empty, SPEC)
    assert found is not None and (found.path, found.checked) == (link, "unchecked")
    assert rehash(Held(SPEC, found), empty).state == "size only"
