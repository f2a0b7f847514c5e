"""The pairs of the catalogue beside what is installed: what there is, what is missing, what stays
when a pair goes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.models.catalog import Catalog, ModelSpec, PairSpec, load_catalog
from app.models.names import at_path, found_here, is_path
from app.models.store import SUFFIXES, Checked, Installed, Place, Store
from app.paths import Paths

State = Literal["installed", "partly installed", "available", "file missing"]
NOT_HERE: tuple[State, ...] = ("available", "file missing")


@dataclass(frozen=True, slots=True)
class Held:
    """A model and its file here, None if it is not. damaged: a file in its place that is not what
    it should be, and so as good as missing; begun: bytes of one that is still to come.
    """

    spec: ModelSpec
    installed: Installed | None
    damaged: Installed | None = None
    begun: int = 0

    @property
    def state(self) -> Checked | Literal["unfinished", "not here"]:
        """What was checked of it."""
        found = self.installed or self.damaged
        if found is None:
            return "unfinished" if self.begun else "not here"
        return found.checked

    @property
    def size(self) -> int | None:
        """Bytes of the file; None where nobody told."""
        return self.installed.size if self.installed else self.spec.size

    @property
    def n_bytes_here(self) -> int:
        """Bytes that are here, be they damaged or unfinished."""
        found = self.installed or self.damaged
        return found.size if found else self.begun


@dataclass(frozen=True, slots=True)
class Member:
    """A model of a pair and its files: more than one where it is split."""

    spec: ModelSpec
    files: tuple[Held, ...]

    @property
    def size(self) -> int | None:
        """Bytes of all files; None if nobody told."""
        return sum_of(held.size for held in self.files) or self.spec.size


@dataclass(frozen=True, slots=True)
class Shelved:
    """A pair and its models, the target first, the projector last."""

    name: str
    spec: PairSpec
    members: tuple[Member, ...]

    @property
    def files(self) -> tuple[Held, ...]:
        """The files of all, the target's first."""
        return tuple(held for member in self.members for held in member.files)

    @property
    def state(self) -> State:
        """How much of it is here; a draft model alone is nothing. A file of one's own that is not
        where it should be comes from nowhere.
        """
        if all(held.installed for held in self.files):
            return "installed"
        if any(held.spec.repo is None and not held.installed for held in self.files):
            return "file missing"
        is_begun = any(held.installed for held in self.members[0].files)
        return "partly installed" if is_begun else "available"

    @property
    def is_usable(self) -> bool:
        """Whether a chat can go on with it: all is here, or all but a projector of the Hub."""
        n_needed = len(self.members) - (self.spec.mmproj is not None)
        *_, last = self.members
        needed = self.members if last.spec.repo is None else self.members[:n_needed]
        return all(held.installed for member in needed for held in member.files)

    @property
    def size(self) -> int | None:
        """Bytes of all files; None if one is not known."""
        return sum_of(member.size for member in self.members)


class Shelf:
    """The catalogue and the store of this person."""

    def __init__(self, catalog: Catalog, store: Store) -> None:
        self.catalog, self.store = catalog, store

    @staticmethod
    def open() -> Shelf:
        """Read both. Raises CatalogError."""
        paths = Paths()
        return Shelf(load_catalog(paths.own_catalog), Store(paths.models_dir))

    def pairs(self) -> list[Shelved]:
        """Return all pairs in the catalogue's order."""
        return [self.pair(name) for name in self.catalog.pairs]

    def pair(self, name: str) -> Shelved:
        """Return one pair. Raises CatalogError."""
        spec = self.catalog.pair(name)
        return Shelved(name, spec, tuple(map(self._member, self.catalog.files(spec))))

    def files(self, name: str) -> list[Held]:
        """Return the files that a name stands for. Raises CatalogError."""
        return [self._held(spec) for spec in found_here(name, self.catalog, self.store).models]

    def files_told_of(self, name: str) -> list[Held]:
        """Return the files that a name or a path stands for. Raises CatalogError."""
        if name in self.catalog.pairs or name in self.catalog.models or not is_path(name):
            return self.files(name)
        return [self._held(part) for part in at_path(name).parts]

    def all_here(self) -> list[Held]:
        """Return all files that are here, be they damaged or unfinished: of pairs, and loose."""
        held = (self._as_it_lies(file) for pair in self.pairs() for file in pair.files)
        return [each for each in held if each.state != "not here"] + self.loose()

    def loose(self) -> list[Held]:
        """Return what lies in the store and belongs to no pair, be it damaged or unfinished."""
        return self._outside(self.catalog.pairs)

    def lone(self) -> list[Held]:
        """Return what lies there and belongs to no pair that is here, be it only in part: what is
        loose, and a draft model, say, that was pulled alone.
        """
        return self._outside(pair.name for pair in self.pairs() if pair.state not in NOT_HERE)

    def _outside(self, names: Iterable[str]) -> list[Held]:
        """Return what lies in the store and is of none of these pairs."""
        pairs = [self.catalog.files(self.catalog.pairs[name]) for name in names]
        inside = {part.source for models in pairs for model in models for part in model.parts}
        known = {
            part.source: part for model in self.catalog.models.values() for part in model.parts
        }
        specs = (spec for spec in self.store.files() if spec.source not in inside)
        held = (self._as_it_lies(self._held(known.get(spec.source, spec))) for spec in specs)
        return [each for each in held if each.state != "not here"]

    def _as_it_lies(self, held: Held) -> Held:
        """Return a file as the catalogue means it; where only another one is here, which was pulled
        by its own name, say, that one.
        """
        spec, record = held.spec, self.store.record(held.spec)
        found = record.sha256 if record is not None else None
        if held.installed or found is None or spec.sha256 in (None, found):
            return held
        return self._held(ModelSpec(repo=spec.repo, file=spec.file))

    def kept_for(self, model: ModelSpec, *besides: str) -> list[str]:
        """Return the other installed pairs that this file belongs to.

        Pairs made of the same target as a pair of `besides` do not keep that target: it is theirs
        together, and goes when one of them goes.
        """
        named_pairs = [self.pair(name) for name in besides if name in self.catalog.pairs]
        is_target = any(_is_part(model, pair.members[0]) for pair in named_pairs)
        return [
            pair.name
            for pair in self.pairs()
            if pair.name not in besides
            and pair.is_usable
            and any(_is_part(model, member) for member in pair.members[1 if is_target else 0 :])
        ]

    def bytes_of(self, model: ModelSpec) -> int:
        """Return the bytes that lie in the store for a model, damaged and unfinished ones too."""
        if model.repo is None:
            return 0
        path = self.store.path_of(model)
        files = (path.with_name(path.name + suffix) for suffix in SUFFIXES)
        return sum(file.lstat().st_size for file in files if file.is_file())

    def _member(self, spec: ModelSpec) -> Member:
        return Member(spec, tuple(map(self._held, spec.parts)))

    def _held(self, spec: ModelSpec) -> Held:
        found = self.store.find(spec)
        if found is not None:
            return Held(spec, found)
        return Held(spec, None, self._damaged(spec), self.store.downloaded(spec))

    def _damaged(self, spec: ModelSpec) -> Installed | None:
        """Return the file that lies where a model's that is not here should be, or in the cache
        where it was found to be damaged there.
        """
        if spec.repo is None:
            return None
        path, record = self.store.path_of(spec), self.store.record(spec)
        place: Place = "store"
        if record is not None and record.path and record.checked == "damaged":
            path, place = Path(record.path), "cache"
        if not os.path.isfile(path):
            return None
        size = path.stat().st_size
        if record is None:
            return Installed(path, size, "damaged", place)
        return Installed(path, size, "damaged", place, record.sha256, record.commit, record.licence)


def sum_of(sizes: Iterable[int | None]) -> int | None:
    """Return the sum, None if one is not known."""
    known = list(sizes)
    return None if None in known else sum(size or 0 for size in known)


def _is_part(file: ModelSpec, member: Member) -> bool:
    return any(_is_same(file, held.spec) for held in member.files)


def _is_same(one: ModelSpec, other: ModelSpec) -> bool:
    return (one.repo, one.file, one.own_path) == (other.repo, other.file, other.own_path)
