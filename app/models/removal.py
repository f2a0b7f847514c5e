"""What goes when names are removed and what stays: nothing that ships, that others keep, or that
another installed pair drafts with. Deletes nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.models.shelf import Held, Shelf
from app.models.store import PART

STAYS = {
    "shipped": "ships with Slipstream",
    "path": "is your own",
    "cache": "belongs to the Hugging Face cache",
}


@dataclass(frozen=True, slots=True)
class Going:
    """A file that goes. n_bytes: what lies in the store for it, unfinished and damaged ones too."""

    held: Held
    n_bytes: int

    @property
    def name(self) -> str:
        """The file's name; of one that other programs keep, that of what was downloaded beside."""
        return f"{self.held.spec.file}{PART if _is_cached(self.held) else ''}"


@dataclass(frozen=True, slots=True)
class Parting:
    """stays: files and why; losing: other installed pairs that are made of a target that goes."""

    goes: tuple[Going, ...]
    stays: tuple[tuple[Held, str], ...]
    losing: tuple[str, ...]


def parting(shelf: Shelf, names: Sequence[str]) -> Parting:
    """Look at the files of all names together. Raises CatalogError."""
    files = {held.spec.source: held for name in names for held in shelf.files(name)}
    reasons = {source: _why_it_stays(held, shelf, names) for source, held in files.items()}
    stays = tuple((files[source], why) for source, why in reasons.items() if why)
    goes = tuple(
        Going(held, n_bytes)
        for source, held in files.items()
        if _has_own(held, shelf, reasons[source]) and (n_bytes := shelf.bytes_of(held.spec))
    )
    going = {one.held.spec.source for one in goes if not _is_cached(one.held)}
    losing = tuple(
        pair.name
        for pair in shelf.pairs()
        if pair.name not in names
        and pair.is_usable
        and any(held.spec.source in going for held in pair.files)
    )
    return Parting(goes, stays, losing)


def _why_it_stays(held: Held, shelf: Shelf, names: Sequence[str]) -> str:
    """Return why a file that is here is not to be removed, "" if it is."""
    found = held.installed or (None if held.begun else held.damaged)
    if found is not None and found.place in STAYS:
        return STAYS[found.place]
    if held.installed is None:
        return ""
    users = shelf.kept_for(held.spec, *names)
    return f"is used by {', '.join(users)}" if users else ""


def _has_own(held: Held, shelf: Shelf, why_it_stays: str) -> bool:
    """Whether something of a file goes: also what was begun of one that stays in the cache."""
    return not why_it_stays or (_is_cached(held) and shelf.store.downloaded(held.spec) > 0)


def _is_cached(held: Held) -> bool:
    return held.installed is not None and held.installed.place == "cache"
