"""The store believes a record only as far as the file bears it out, looks where others keep files,
and deletes nothing but its own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from app.errors import PullError
from app.models.catalog import ModelSpec
from app.models.download import Progress
from app.models.lock import Lock
from app.models.pull import Pull, plan
from app.models.store import Installed, Record, Store
from tests.app.models.pulling import BRISK

REPO, FILE = "someone/model", "model.gguf"
SPEC = ModelSpec(repo=REPO, file=FILE)
BYTES = b"GGUF" + b"x" * 96
SHA256 = hashlib.sha256(BYTES).hexdigest()
COMMIT = "c" * 40


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache."""
    folder = tmp_path / "hugging"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    return folder


def placed(path: Path, content: bytes = BYTES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def cached(cache: Path, content: bytes = BYTES, commit: str = COMMIT) -> Path:
    """Put a file into the cache as huggingface_hub does: a link to a blob."""
    folder = cache / "models--someone--model"
    blob = placed(folder / "blobs" / hashlib.sha256(content).hexdigest(), content)
    link = folder / "snapshots" / commit / FILE
    link.parent.mkdir(parents=True)
    link.symlink_to(blob)
    return link


def recorded(store: Store, spec: ModelSpec = SPEC, path: Path | None = None) -> Record:
    assert spec.repo is not None and spec.file is not None
    record = Record(
        repo=spec.repo,
        file=spec.file,
        size=len(BYTES),
        sha256=SHA256,
        checked="verified",
        commit=COMMIT,
        licence="mit",
        path=str(path) if path else None,
    )
    store.add(record)
    return record


def taken_in(store: Store, spec: ModelSpec) -> Installed | None:
    """Let a pull look at what is here; return what the store says then."""
    Pull(store, lambda _: None, patience=BRISK).run(plan("it", [spec], store, BRISK))
    return store.find(spec)


def test_a_file_with_its_record_is_found_as_it_was_checked(store: Store) -> None:
    path = placed(store.path_of(SPEC))
    recorded(store)
    assert store.find(SPEC) == Installed(
        path, len(BYTES), "verified", "store", SHA256, COMMIT, "mit"
    )


@pytest.mark.parametrize("content", [b"", BYTES[:-1], BYTES + b"x"])
def test_a_file_of_another_size_than_its_record_is_not_there(store: Store, content: bytes) -> None:
    placed(store.path_of(SPEC), content)
    recorded(store)
    assert store.find(SPEC) is None


def test_a_record_without_its_file_is_nothing(store: Store) -> None:
    recorded(store)
    assert store.find(SPEC) is None and store.files_of(REPO) == []


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"repo": "a/b"}',
        b'{"repo": "\xff"}',
        b"\x00" * 300,
        b'{"x":' + b"[" * 100_000,
    ],
    ids=["empty", "cut", "no record", "too little", "no text", "zeros", "nested"],
)
def test_a_damaged_record_makes_a_file_unchecked_until_it_is_pulled(
    store: Store, damage: bytes
) -> None:
    path = placed(store.path_of(SPEC))
    placed(path.with_name(FILE + ".json"), damage)
    found = store.find(SPEC)
    assert found is not None and (found.checked, found.sha256) == ("unchecked", None)
    found = taken_in(store, SPEC.model_copy(update={"sha256": SHA256}))
    assert found is not None and (found.checked, found.place) == ("verified", "store")


def test_a_file_that_somebody_put_there_must_be_the_right_one(store: Store) -> None:
    placed(store.path_of(SPEC))
    assert store.find(SPEC.model_copy(update={"size": len(BYTES) + 1})) is None
    with pytest.raises(PullError, match=r"has the hash .* not 0{12}… as in models\.toml"):
        taken_in(store, SPEC.model_copy(update={"sha256": "0" * 64}))


def test_a_file_of_another_hash_than_the_catalogues_is_not_it(store: Store) -> None:
    placed(store.path_of(SPEC))
    recorded(store)
    assert store.find(SPEC.model_copy(update={"sha256": "0" * 64})) is None
    assert store.find(SPEC.model_copy(update={"sha256": SHA256})) is not None


def test_a_file_of_the_hugging_face_cache_is_used_where_it_is(store: Store, cache: Path) -> None:
    link = cached(cache)
    found = store.find(SPEC)
    assert found is not None and (found.path, found.place) == (link, "cache")
    assert found.checked == "unchecked"
    found = taken_in(store, SPEC.model_copy(update={"sha256": SHA256}))
    assert found is not None and (found.path, found.checked) == (link, "verified")
    assert [path.name for path in store.path_of(SPEC).parent.iterdir()] == [f"{FILE}.json"]


def test_a_cached_file_whose_hash_nobody_knows_is_recorded_so(store: Store, cache: Path) -> None:
    cached(cache)
    found = taken_in(store, SPEC)
    assert found is not None and (found.checked, found.sha256) == ("size only", SHA256)


def test_a_wrong_file_of_the_cache_is_reported_and_stays(store: Store, cache: Path) -> None:
    link = cached(cache, BYTES[:-1] + b"y")
    with pytest.raises(PullError, match=rf"{link} has the hash .* Delete it, and pull again"):
        taken_in(store, SPEC.model_copy(update={"sha256": SHA256}))
    assert link.exists()
    assert not store.path_of(SPEC).parent.exists()


def test_the_cache_is_asked_for_the_right_size_and_commit(store: Store, cache: Path) -> None:
    cached(cache, BYTES + b"x", commit="a" * 40)
    cached(cache, BYTES, commit="b" * 40)
    found = store.find(SPEC.model_copy(update={"size": len(BYTES)}))
    assert found is not None and "b" * 40 in found.path.parts
    assert store.find(SPEC.model_copy(update={"commit": "d" * 40})) is None


@pytest.mark.parametrize("variable", ["HF_HOME", "XDG_CACHE_HOME", "HOME"])
def test_the_cache_is_where_hugging_face_looks_for_it(
    store: Store, tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "there"))
    below = {"HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub"}
    link = cached(tmp_path / "there" / below.get(variable, ".cache/huggingface/hub"))
    found = store.find(SPEC)
    assert found is not None and found.path == link


def test_a_cache_of_another_user_counts_as_empty(
    store: Store, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat, glob = os.stat, Path.glob

    def refuse(path: Path | str) -> None:
        if Path(path).is_relative_to(cache):
            raise PermissionError(13, "Permission denied", str(path))

    def stat_of_ones_own(path: Path | str | int, **how: Any) -> os.stat_result:
        if not isinstance(path, int):
            refuse(path)
        return stat(path, **how)

    def glob_in_ones_own(path: Path, pattern: str) -> Iterable[Path]:
        refuse(path)
        return glob(path, pattern)

    link = cached(cache)
    recorded(store, SPEC, link)
    assert store.find(SPEC) is not None and store.files_of(REPO) == [FILE]
    monkeypatch.setattr(os, "stat", stat_of_ones_own)
    monkeypatch.setattr(Path, "glob", glob_in_ones_own)
    assert store.find(SPEC) is None and store.files_of(REPO) == []


def test_a_model_by_path_is_where_it_is_or_missing(store: Store, tmp_path: Path) -> None:
    mine = ModelSpec(path=str(placed(tmp_path / "mine.gguf")))
    found = taken_in(store, mine)
    assert found is not None and (found.place, found.checked) == ("path", "unchecked")
    gone = ModelSpec(path=str(tmp_path / "gone.gguf"))
    with pytest.raises(PullError, match=r"gone\.gguf is not there, .* correct its path"):
        plan("it", [gone], store, BRISK)


def test_all_files_are_listed_in_order_and_nothing_else(store: Store, cache: Path) -> None:
    assert list(store.files()) == []
    specs = [
        ModelSpec(repo="a/b", file="deep/down/x.gguf"),
        ModelSpec(repo="a/b", file="y.gguf"),
        ModelSpec(repo="c/d", file="z.gguf"),
    ]
    for spec in specs[:2]:
        placed(store.path_of(spec))
        recorded(store, spec)
    placed(store.path_of(specs[2]))
    recorded(store, SPEC, cached(cache))
    unfinished = ModelSpec(repo="a/b", file="n.gguf")
    placed(store.part_of(unfinished))
    for name in ("m.gguf.part.json", "m.gguf.part.json.new", "m.gguf.lock", "m.txt"):
        placed(store.folder / "a/b" / name)
    placed(store.folder / "a/b/m.gguf.json.new")
    placed(store.folder / "a/-b/no name.gguf")
    assert list(store.files()) == [specs[0], unfinished, *specs[1:], SPEC]
    assert store.files_of("a/b") == ["deep/down/x.gguf", "y.gguf"]


def test_removing_takes_all_of_a_file_and_nothing_else(store: Store) -> None:
    path = placed(store.path_of(SPEC))
    recorded(store)
    for suffix in (".part", ".part.json", ".part.json.new", ".json.new", ".lock"):
        placed(path.with_name(FILE + suffix))
    beside = placed(path.with_name("other.gguf"))
    assert store.remove(SPEC) > 3 * len(BYTES)
    assert list(path.parent.iterdir()) == [beside]
    other = ModelSpec(repo=REPO, file="other.gguf")
    assert store.remove(other) == len(BYTES)
    assert store.folder.is_dir() and list(store.folder.iterdir()) == []
    assert store.remove(other) == 0


def test_removing_takes_deep_folders_along(store: Store) -> None:
    deep = ModelSpec(repo=REPO, file="very/deep/model.gguf")
    placed(store.path_of(deep))
    assert store.remove(deep) == len(BYTES)
    assert list(store.folder.iterdir()) == []


def test_removing_leaves_what_belongs_to_others(store: Store, cache: Path) -> None:
    link = cached(cache)
    recorded(store, SPEC, link)
    store.remove(SPEC)
    assert link.read_bytes() == BYTES
    assert store.remove(ModelSpec(path=str(link))) == 0
    assert link.exists()


def test_what_is_being_downloaded_is_not_removed(store: Store) -> None:
    path = placed(store.path_of(SPEC).with_name(FILE + ".part"))
    lock = Lock(path.with_name(FILE + ".lock"))
    assert lock.take()
    with pytest.raises(PullError, match="is being downloaded: stop that first"):
        store.remove(SPEC)
    assert path.exists()
    lock.release()
    assert store.remove(SPEC) == len(BYTES)


def test_a_folder_that_cannot_be_written_is_not_taken_for_a_download(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    path = placed(store.path_of(SPEC))
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PullError, match=rf"^Cannot lock {path}\.lock: Permission denied\.$"):
        store.remove(SPEC)


def test_a_lock_is_held_by_one_and_only_while_its_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "it.lock"
    first, second = Lock(path), Lock(path)
    assert first.take()
    assert not second.take()
    path.unlink()
    assert second.take()
    first.release()
    second.release()
    assert first.take()
    first.release()


def test_a_file_in_a_store_that_cannot_be_written_is_checked_without_a_record(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed(store.path_of(SPEC))

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    read: list[Progress] = []
    known = SPEC.model_copy(update={"sha256": SHA256})
    Pull(store, read.append).run(plan("it", [known], store, BRISK))
    assert [progress.stage for progress in read] == ["checking"]
    assert store.record(SPEC) is None


@pytest.mark.parametrize("linked", ["someone", "model"])
def test_removing_from_a_folder_that_is_a_link_leaves_the_link(
    store: Store, tmp_path: Path, linked: str
) -> None:
    path = store.path_of(SPEC)
    link = next(folder for folder in path.parents if folder.name == linked)
    (tmp_path / "disk").mkdir()
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "disk", target_is_directory=True)
    placed(path)
    assert store.remove(SPEC) == len(BYTES)
    assert link.is_symlink() and not path.exists()
