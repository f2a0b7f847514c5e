"""Reads an installed file again: is it still what it was?"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from app.errors import reason
from app.models.catalog import ModelSpec
from app.models.shelf import Held
from app.models.store import Checked, Installed, Record, Store
from app.models.stream import CHUNK

State = Checked | Literal["unfinished", "unreadable", "not here"]
WORDS: dict[State, str] = {
    "verified": "as it should be",
    "size only": "as it came; no hash is known to compare it with",
    "damaged": "DAMAGED: its hash is not what it should be. Pull it again.",
    "unfinished": "unfinished: pull it again to go on.",
    "unreadable": "CANNOT BE READ",
    "not here": "NOT HERE. Pull it, or put a file of your own back.",
}


@dataclass(frozen=True, slots=True)
class Rehashed:
    """What was found. sha256: None of a file that could not be read whole; why: it is unreadable,
    None of all others.
    """

    path: Path
    state: State
    sha256: str | None
    why: str | None = None

    @property
    def words(self) -> str:
        """The state for a person."""
        return WORDS[self.state] + (f": {self.why}." if self.why else "")


def rehash(held: Held, store: Store) -> Rehashed:
    """Hash a file, and keep what was found, where a record can be written; one that is still to
    come, or not here at all, is not read.
    """
    installed = held.installed or held.damaged
    if installed is None:
        return _missing(held, store)
    digest = hashlib.sha256()
    try:
        with installed.path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        return Rehashed(installed.path, "unreadable", None, reason(error))
    sha256 = digest.hexdigest()
    if held.spec.repo is None:
        return Rehashed(installed.path, _judged(held, installed, None, sha256), sha256)
    record = _record_of(installed, held.spec, store)
    state = _judged(held, installed, record, sha256)
    kept = record or _first(held.spec, installed)
    if state == "damaged" and kept.sha256 == sha256:  # whole, though not what the catalogue means
        return Rehashed(installed.path, state, sha256)
    known = kept.sha256 if state == "damaged" else sha256
    with suppress(OSError, UnicodeError):  # of a path that is no text
        store.add(msgspec.structs.replace(kept, checked=state, sha256=known))
    return Rehashed(installed.path, state, sha256)


def _record_of(installed: Installed, spec: ModelSpec, store: Store) -> Record | None:
    """Return what is kept about this very file: one of the cache may have a newer version beside
    it, and the record is of one of them.
    """
    record = store.record(spec)
    if record is None or installed.place != "cache" or record.path == str(installed.path):
        return record
    return None


def _missing(held: Held, store: Store) -> Rehashed:
    if held.begun:
        return Rehashed(store.part_of(held.spec), "unfinished", None)
    return Rehashed(held.spec.own_path or store.path_of(held.spec), "not here", None)


def _judged(held: Held, installed: Installed, record: Record | None, sha256: str) -> Checked:
    wanted = held.spec.sha256 or (record.sha256 if record is not None else installed.sha256)
    sizes = {held.spec.size, record.size if record is not None else None} - {None}
    if wanted not in (None, sha256) or sizes - {installed.size}:
        return "damaged"
    is_known = held.spec.sha256 is not None or installed.checked == "verified"
    return "verified" if is_known else "size only"


def _first(spec: ModelSpec, installed: Installed) -> Record:
    """Return the record of a file that had none."""
    assert spec.repo is not None and spec.file is not None, "a file of the Hub"
    return Record(
        repo=spec.repo,
        file=spec.file,
        size=installed.size,
        sha256=None,
        checked="unchecked",
        commit=spec.commit,
        licence=spec.licence,
        path=str(installed.path) if installed.place == "cache" else None,
    )
