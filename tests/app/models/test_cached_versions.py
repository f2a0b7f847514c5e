"""Of several versions in the Hugging Face cache, the current one is opened."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.models.rehash import Rehashed, rehash
from app.models.shelf import Held
from app.models.store import Store
from tests.app.models.test_store import BYTES, SPEC, cached, placed, taken_in

AT_S = 10**9


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, with the versions c, a and b, the newest first."""
    cache = tmp_path / "hugging"
    monkeypatch.setenv("HF_HUB_CACHE", str(cache))
    for age_s, name in enumerate("cab"):
        link = cached(cache, BYTES + name.encode(), name * 40)
        os.utime(link.parent, (AT_S - age_s, AT_S - age_s))
    return cache / "models--someone--model"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


def commit(store: Store) -> str:
    """Return the commit whose file is opened."""
    found = store.find(SPEC)
    assert found is not None
    return found.path.parent.name


def test_what_main_is_comes_before_what_is_newest(store: Store, folder: Path) -> None:
    assert commit(store) == "c" * 40
    main = placed(folder / "refs" / "main", b"b" * 40)
    assert commit(store) == "b" * 40
    main.write_bytes(b"../" * 13)
    assert commit(store) == "c" * 40


def test_what_main_is_comes_before_what_is_recorded(store: Store, folder: Path) -> None:
    main = placed(folder / "refs" / "main", b"b" * 40)
    found = taken_in(store, SPEC)
    assert found is not None and (found.path.parent.name, found.checked) == ("b" * 40, "size only")
    main.write_bytes(b"a" * 40)
    assert commit(store) == "a" * 40


def test_a_recorded_file_whose_hash_the_catalogue_has_stays(store: Store, folder: Path) -> None:
    main = placed(folder / "refs" / "main", b"b" * 40)
    found = taken_in(store, SPEC)
    assert found is not None
    main.write_bytes(b"a" * 40)
    kept = store.find(SPEC.model_copy(update={"sha256": found.sha256}))
    assert kept is not None and kept.path == found.path


def checked(store: Store) -> Rehashed:
    """Hash the file that is opened."""
    return rehash(Held(SPEC, store.find(SPEC)), store)


def test_a_newer_version_is_not_compared_with_the_one_before(store: Store, folder: Path) -> None:
    main = placed(folder / "refs" / "main", b"b" * 40)
    older = taken_in(store, SPEC)
    assert older is not None
    main.write_bytes(b"a" * 40)
    newer = checked(store)
    assert (newer.state, newer.path.parent.name) == ("size only", "a" * 40)
    assert newer.sha256 != older.sha256
    assert [checked(store) for _ in range(2)] == [newer] * 2
    main.write_bytes(b"b" * 40)
    assert (checked(store).state, commit(store)) == ("size only", "b" * 40)


def test_the_version_before_is_good_once_the_newer_one_is_pruned(
    store: Store, folder: Path
) -> None:
    main = placed(folder / "refs" / "main", b"b" * 40)
    older = taken_in(store, SPEC)
    main.write_bytes(b"a" * 40)
    checked(store)
    main.write_bytes(b"b" * 40)
    shutil.rmtree(folder / "snapshots" / ("a" * 40))
    again = checked(store)
    assert older is not None
    assert (again.state, again.path, again.sha256) == ("size only", older.path, older.sha256)
