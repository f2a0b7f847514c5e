"""Files that a person has opened by their paths, as a pair of the catalogue is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.models.catalog import ModelSpec
from app.models.figures import of_file
from app.models.fit import fit, usual_context
from app.models.machine import Machine
from app.models.offers import Offer
from app.models.projector import sight_bytes
from app.models.shelf import Held, Shelf, sum_of
from app.settings.values import uses_draft_model
from engine import PairSettings

FOR_WHOM = "Opened by its path; no pair of the catalogue."


def offer_of(pair: PairSettings, title: str, shelf: Shelf, machine: Machine) -> Offer:
    """Return them, judged as they are opened; the target's file gives the name.

    Raises OSError.
    """
    paths = [path for path in (pair.target, pair.draft, pair.mmproj) if path]
    specs = [part for path in paths for part in ModelSpec(path=path).parts]
    files = tuple(Held(spec, shelf.store.find(spec)) for spec in specs)
    target, draft = of_file(Path(pair.target)), None
    if pair.mmproj:
        target = replace(target, sight_bytes=sight_bytes(Path(pair.mmproj).stat().st_size))
    if pair.draft and uses_draft_model(pair.drafter):
        draft = replace(of_file(Path(pair.draft)), cache_type=pair.draft_cache_type)
    n_ctx = usual_context(pair.n_ctx, target)
    judged = fit(target, draft, n_ctx, pair.cache_type, machine)
    return Offer(
        name=Path(pair.target).name,
        title=title,
        for_whom=FOR_WHOM,
        tier="any",
        state="installed",
        is_usable=True,
        size=sum_of(held.size for held in files),
        verdict=judged.verdict,
        fit=judged.line,
        alternatives=tuple(one.line for one in judged.alternatives),
        files=files,
        sees=pair.mmproj is not None,
    )
