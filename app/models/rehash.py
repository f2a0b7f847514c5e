"""Reads an installed file again: is it still what it was?"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.errors import PullError
from app.models.shelf import Held
from app.models.store import Checked, Store
from app.models.stream import CHUNK

WORDS: dict[Checked, str] = {
    "verified": "as it should be",
    "size only": "as it came; no hash is known to compare it with",
    "damaged": "DAMAGED: its hash is not what it should be. Pull it again.",
}


@dataclass(frozen=True, slots=True)
class Rehashed:
    """What was found."""

    path: Path
    state: Checked
    sha256: str

    @property
    def words(self) -> str:
        """The state for a person."""
        return WORDS[self.state]


def rehash(held: Held, store: Store) -> Rehashed:
    """Hash a file, and keep what was found. Raises PullError if it cannot be read."""
    installed = held.installed
    assert installed is not None, "only what is here can be read"
    digest = hashlib.sha256()
    try:
        with installed.path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise PullError(f"Cannot read {installed.path}: {error.strerror}.") from None
    sha256 = digest.hexdigest()
    wanted = held.spec.sha256 or installed.sha256
    is_known = held.spec.sha256 is not None or installed.checked == "verified"
    state: Checked = "verified" if is_known else "size only"
    if wanted is not None and wanted != sha256:
        state = "damaged"
    record = store.record(held.spec)
    if record is not None:
        known = record.sha256 if state == "damaged" else sha256
        store.add(msgspec.structs.replace(record, checked=state, sha256=known))
    return Rehashed(installed.path, state, sha256)
