"""The pairs of the catalogue beside what is installed: what there is, what is missing, what stays
when a pair goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.models.catalog import Catalog, ModelSpec, PairSpec, load_catalog
from app.models.names import named
from app.models.store import Checked, Installed, Store
from app.paths import Paths

State = Literal["installed", "partly installed", "available"]


@dataclass(frozen=True, slots=True)
class Held:
    """A model and its file here, None if it is not."""

    spec: ModelSpec
    installed: Installed | None

    @property
    def state(self) -> Checked | Literal["not here"]:
        """What was checked of it."""
        return self.installed.checked if self.installed else "not here"

    @property
    def size(self) -> int | None:
        """Bytes of the file; None where nobody told."""
        return self.installed.size if self.installed else self.spec.size


@dataclass(frozen=True, slots=True)
class Shelved:
    """A pair and its files, the target's first."""

    name: str
    spec: PairSpec
    files: tuple[Held, ...]

    @property
    def state(self) -> State:
        """How much of it is here; a draft model alone is nothing."""
        if all(held.installed for held in self.files):
            return "installed"
        return "partly installed" if self.files[0].installed else "available"

    @property
    def size(self) -> int | None:
        """Bytes of all files; None if one is not known."""
        sizes = [held.size for held in self.files]
        return None if None in sizes else sum(size or 0 for size in sizes)


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
        held = (Held(model, self.store.find(model)) for model in self.catalog.members(spec))
        return Shelved(name, spec, tuple(held))

    def files(self, name: str) -> list[Held]:
        """Return the files that a name stands for. Raises CatalogError."""
        return [Held(spec, self.store.find(spec)) for spec in named(name, self.catalog).models]

    def loose(self) -> list[Held]:
        """Return what is installed and belongs to no pair."""
        known = {(model.repo, model.file) for model in self.catalog.models.values()}
        return [
            Held(spec, found)
            for spec, found in self.store.files()
            if (spec.repo, spec.file) not in known
        ]

    def kept_for(self, model: ModelSpec, besides: str) -> list[str]:
        """Return the other pairs whose target is installed and which this model belongs to."""
        return [
            pair.name
            for pair in self.pairs()
            if pair.name != besides
            and pair.files[0].installed is not None
            and any((h.spec.repo, h.spec.file) == (model.repo, model.file) for h in pair.files)
        ]
