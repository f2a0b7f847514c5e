"""Of several versions in the Hugging Face cache, the current one is opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
