"""The files that are installed: models/OWNER/NAME/FILE.gguf, each with a record beside it.

A file under its own name is whole: what is still coming bears another name (partial_file.py). The
record says what was checked. Files that other programs downloaded (the Hugging Face cache) or that
the person named by path are used where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from app.errors import CatalogError, PullError
from app.models.catalog import ModelSpec, parts_of
from app.models.lock import Lock
from app.paths import in_the_way_of_models, make_private
from app.private_file import for_owner

RECORD = ".json"
NEW = ".new"
PART = ".part"
LOCK = ".lock"
SUFFIXES = ("", PART, PART + RECORD, PART + RECORD + NEW, RECORD, RECORD + NEW, LOCK)
ANY_GGUF = "*.[gG][gG][uU][fF]"
CACHE_VARIABLES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")

Checked = Literal["verified", "size only", "unchecked", "damaged"]
"""sha256 as it should be; no sha256 to compare with, but the right size; never looked at; another
sha256 than it was: such a file is as good as missing, until it is downloaded again."""
Place = Literal["store", "cache", "path", "shipped"]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an installed file. path: where it is if not beside this record."""

    repo: str
    file: str
    size: int
    sha256: str | None
    checked: Checked
    commit: str | None = None
    licence: str = "unknown"
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """A file of this machine. sha256: as it was found to be; None if never calculated."""

    path: Path
    size: int
    checked: Checked
    place: Place
    sha256: str | None = None
    commit: str | None = None
    licence: str = "unknown"


class Store:
    """The folder of installed models. It need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self) -> None:
        """Raise CatalogError if what lies in the folder cannot be found."""
        if obstacle := in_the_way_of_models(self.folder):
            raise CatalogError(
                f"Cannot find what was downloaded: {obstacle.found}. {obstacle.mend}"
            )

    def path_of(self, spec: ModelSpec) -> Path:
        """Return where a file of the Hub is, or will be once it is installed."""
        assert spec.repo is not None and spec.file is not None, "a file of the Hub"
        return self.folder / spec.repo / spec.file

    def find(self, spec: ModelSpec) -> Installed | None:
        """Return the model's file, wherever it is on this machine; None if it is not.

        A file of a split model counts in the cache only beside all others: llama.cpp looks for them
        there, and a pull puts what is missing into the store.
        """
        own = spec.own_path
        if own is not None:
            return _as_it_is(own, "shipped" if spec.embedded else "path", spec)
        found = self._stored(spec)
        if found is not None and all(map(self._stored, spec.parts)):
            return found
        return self._cached(spec) or found

    def _stored(self, spec: ModelSpec) -> Installed | None:
        path = self.path_of(spec)
        record = _record(path)
        if record is not None:
            is_it = record.path is None and _is_same(spec, record)
            return _recorded(path, record) if is_it else None
        is_it = os.path.isfile(path) and spec.size in (None, path.stat().st_size)
        return _as_it_is(path, "store", spec) if is_it else None

    def _cached(self, spec: ModelSpec) -> Installed | None:
        with suppress(OSError):  # another user's folder counts as empty
            cached, record = cached_copy(spec), _record(self.path_of(spec))
            if record is not None and record.path and _is_same(spec, record):
                is_current = spec.sha256 or cached is None or record.path == str(cached)
                found = _recorded(Path(record.path), record) if is_current else None
                if found is not None and _is_whole(found.path):
                    return found
            if cached is not None and not self._is_damaged(spec, cached):
                return _as_it_is(cached, "cache", spec)
        return None

    def _is_damaged(self, spec: ModelSpec, cached: Path) -> bool:
        """Whether a file of the cache was found to be damaged, and nobody has written it since."""
        record, path = self.record(spec), self.path_of(spec)
        if record is None or record.checked != "damaged" or record.path != str(cached):
            return False
        return cached.stat().st_mtime <= path.with_name(path.name + RECORD).stat().st_mtime

    def record(self, spec: ModelSpec) -> Record | None:
        """Return what is kept about a file of the Hub."""
        return _record(self.path_of(spec)) if spec.repo is not None else None

    def add(self, record: Record) -> None:
        """Keep a record; written before the file gets its name, so that no file is without."""
        path = self.folder / record.repo / record.file
        make_private(path.parent)
        new = path.with_name(path.name + RECORD + NEW)
        with open(new, "wb", opener=for_owner) as file:
            file.write(msgspec.json.format(msgspec.json.encode(record)))
        new.replace(path.with_name(path.name + RECORD))

    def remove(self, spec: ModelSpec) -> int:
        """Delete the file, its record and what was downloaded of it; return the bytes freed.

        Files of other programs and the person's own stay. Raises PullError while it is downloaded.
        """
        if spec.repo is None or not self.path_of(spec).parent.is_dir():
            return 0
        path = self.path_of(spec)
        lock = Lock(path.with_name(path.name + LOCK))
        if not lock.take():
            raise PullError(f"{spec.source} is being downloaded: stop that first.")
        try:
            found = self.find(spec)  # what is known of another program's file stays with it
            kept = RECORD if found is not None and found.place == "cache" and found.sha256 else None
            freed = sum(_delete(path.with_name(path.name + s)) for s in SUFFIXES if s != kept)
        finally:
            lock.release()
        for folder in path.parents[: len(path.relative_to(self.folder).parts) - 1]:
            with suppress(OSError):  # not empty, a link, or somebody else's
                folder.rmdir()
        return freed

    def downloaded(self, spec: ModelSpec) -> int:
        """Return how many bytes of a file that is not installed yet are here."""
        if spec.repo is None:
            return 0
        part = self.part_of(spec)
        return part.stat().st_size if os.path.isfile(part) else 0

    def part_of(self, spec: ModelSpec) -> Path:
        """Return where what is still coming of a file of the Hub lies."""
        path = self.path_of(spec)
        return path.with_name(path.name + PART)

    def files(self) -> Iterator[ModelSpec]:
        """Yield the files that lie in the folder, in the order of names: whole, damaged, unfinished
        or of others, by their records; also what has a record and is gone.
        """
        found = self.folder.glob(f"*/*/**/{ANY_GGUF}*") if self.folder.is_dir() else ()
        for path in sorted({path.with_name(_named_by(path.name)) for path in found}):
            inside = path.relative_to(self.folder).parts
            with suppress(ValueError):  # a name that is none on the Hub
                yield ModelSpec(repo="/".join(inside[:2]), file="/".join(inside[2:]))

    def source_of(self, path: Path) -> str:
        """Return OWNER/REPO:FILE of a file here or in the Hugging Face cache, "" of any other."""
        with suppress(ValueError):
            owner, repo, *file = path.relative_to(self.folder.absolute()).parts
            return f"{owner}/{repo}:{'/'.join(file)}"
        with suppress(ValueError):
            folder, _, _, *file = path.relative_to(_cache_folder().absolute()).parts
            repo = folder.removeprefix("models--").replace("--", "/", 1)
            return f"{repo}:{'/'.join(file)}"
        return ""

    def files_of(self, repo: str) -> list[str]:
        """Return the names of a repository's files that are here, in whichever place."""
        own = {str(spec.file) for spec in self.files() if spec.repo == repo and self.find(spec)}
        snapshots = _snapshots(repo)
        with suppress(OSError):  # another user's
            cached = (file.relative_to(snapshots) for file in snapshots.glob(f"*/**/{ANY_GGUF}"))
            own |= {"/".join(path.parts[1:]) for path in cached}
        return sorted(own)


def cached_copy(spec: ModelSpec) -> Path | None:
    """Return the file in the Hugging Face cache, if it is there and of the right size, with all
    others of a split model beside it. Of several versions, the one that `main` was last.

    Looks at paths alone: nothing is imported, and no socket opened.
    """
    assert spec.repo is not None and spec.file is not None, "a file of the Hub"
    snapshots = _snapshots(spec.repo)
    commits = [spec.commit] if spec.commit else _commits(snapshots)
    for commit in commits:
        file = snapshots / commit / spec.file
        if _is_whole(file) and spec.size in (None, file.stat().st_size):
            return file
    return None


def read_beside(path: Path, suffix: str) -> bytes:
    """Return what a file beside a model's holds.

    Raises OSError, also for a pipe, which may take for ever.
    """
    file = path.with_name(path.name + suffix)
    if not file.is_file():
        raise FileNotFoundError(file)
    return file.read_bytes()


def _named_by(name: str) -> str:
    """Return the name of the file that one beside it is about, if it is a record or a part."""
    return name.removesuffix(RECORD) if name.endswith(RECORD) else name.removesuffix(PART)


def _is_whole(file: Path) -> bool:
    """Whether a file is there, and all others of its model are beside it."""
    return all(file.with_name(name).is_file() for name in parts_of(file.name))


def _delete(file: Path) -> int:
    """Delete a file if it is there; return the bytes freed."""
    if not file.is_file() and not file.is_symlink():
        return 0
    size = file.lstat().st_size
    file.unlink()
    return size


def _snapshots(repo: str) -> Path:
    """Return the folder of the Hugging Face cache that has a folder per commit of a repository."""
    return _cache_folder() / f"models--{repo.replace('/', '--')}" / "snapshots"


def _cache_folder() -> Path:
    """Return the folder that huggingface_hub keeps files in."""
    for variable in CACHE_VARIABLES:
        if os.environ.get(variable):
            return Path(os.path.expanduser(os.environ[variable]))
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.path.expanduser(os.environ.get("HF_HOME") or cache)) / "hub"


def _commits(snapshots: Path) -> list[str]:
    """Return the commits that are there: the one that `main` is first, then the newest first."""
    main, entries = b"", list(snapshots.iterdir()) if snapshots.is_dir() else []
    with suppress(OSError):
        main = read_beside(snapshots.with_name("refs") / "main", "").strip()
    entries.sort(key=lambda it: (os.fsencode(it.name) == main, it.lstat().st_mtime, it.name))
    return [entry.name for entry in reversed(entries)]


def _record(path: Path) -> Record | None:
    try:
        return msgspec.json.decode(read_beside(path, RECORD), type=Record)
    except (OSError, ValueError, RecursionError):
        return None


def _recorded(path: Path, record: Record) -> Installed | None:
    """Return the file of a record; None if it is gone, has another size by now, or is damaged."""
    is_damaged = record.checked == "damaged"
    if is_damaged or not os.path.isfile(path) or path.stat().st_size != record.size:
        return None
    place: Place = "cache" if record.path else "store"
    return Installed(
        path, record.size, record.checked, place, record.sha256, record.commit, record.licence
    )


def _is_same(spec: ModelSpec, record: Record) -> bool:
    """Whether the record is of the very file that the catalogue means."""
    return spec.sha256 is None or record.sha256 is None or spec.sha256 == record.sha256


def _as_it_is(path: Path, place: Place, spec: ModelSpec) -> Installed | None:
    if not os.path.isfile(path):
        return None
    size = path.stat().st_size
    checked: Checked = "verified" if place == "shipped" else "unchecked"
    return Installed(path, size, checked, place, spec.sha256 if place == "shipped" else None)
