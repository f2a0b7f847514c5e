"""Which pairs suit this machine best: the largest targets that fit and still answer quickly.

Quick is what the slower ones of a kind of device manage, from the bytes that a token reads
(placing.py) and without what drafting gains. Judges by the catalogue's figures alone: a pair with
unknown ones is not recommended.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.models.catalog import DEFAULT_PAIR, Catalog, PairSpec
from app.models.fit import Fit, fit_pair
from app.models.machine import Machine
from app.sizes import memory_size, size

AT_MOST = 3
LEAST_TPS = 5.0
SPARE_DISK_BYTES = 256 * 2**20
WHERE = {"GPU": "on the GPU", "partly on GPU": "partly on the GPU", "CPU": "on the processor"}


@dataclass(frozen=True, slots=True)
class Recommendation:
    """name: the pair's; why: one sentence with the numbers behind it."""

    name: str
    fit: Fit
    why: str


def recommend(catalog: Catalog, machine: Machine, installed: set[str]) -> list[Recommendation]:
    """Return the best pairs for the machine, best first, at most three; the demo if none fits.

    installed: names of pairs whose files are here; others must fit the disk. General pairs come
    before those for code, of which there is at most one if others are left; no target comes twice.
    Who wants pictures chooses one of the pairs that are for these.
    """
    good = {
        name: judged
        for name, pair in catalog.pairs.items()
        if name != DEFAULT_PAIR
        and pair.mmproj is None
        and _is_good(judged := fit_pair(name, catalog, machine))
    }
    needed = {name: 0 if name in installed else _disk_bytes(catalog, name) for name in good}
    candidates = {name: good[name] for name in good if needed[name] <= machine.disk_free_bytes}
    ranked = sorted(candidates, key=lambda name: _rank(name, catalog, installed), reverse=True)
    best = _one_per_target(ranked, catalog)
    general = [name for name in best if not _is_for_code(catalog.pairs[name])]
    code = [name for name in best if _is_for_code(catalog.pairs[name])]
    n_general = max(AT_MOST - 1, AT_MOST - len(code))
    chosen = (general[:n_general] + code)[:AT_MOST]
    if not chosen and DEFAULT_PAIR in catalog.pairs:
        judged = fit_pair(DEFAULT_PAIR, catalog, machine)
        return [Recommendation(DEFAULT_PAIR, judged, _demo_why(judged, needed, machine))]
    return [
        Recommendation(name, candidates[name], _why(catalog.pairs[name], candidates[name]))
        for name in chosen
    ]


def _is_good(judged: Fit) -> bool:
    return judged.fits and judged.tps is not None and judged.tps >= LEAST_TPS


def _rank(name: str, catalog: Catalog, installed: set[str]) -> tuple[int, bool, bool]:
    """Return what the best pair has most of: target, then being here, then a draft model."""
    pair = catalog.pairs[name]
    size = catalog.models[pair.target].size or 0
    return size, name in installed, pair.draft is not None


def _one_per_target(names: list[str], catalog: Catalog) -> list[str]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(catalog.pairs[name].target, name)
    return list(first.values())


def _is_for_code(pair: PairSpec) -> bool:
    return "code" in f"{pair.title} {pair.for_whom}".lower()


def _disk_bytes(catalog: Catalog, name: str) -> int:
    """Return the room that a download takes; what has no known size is not counted."""
    files = catalog.files(catalog.pairs[name])
    return sum(spec.size or 0 for spec in files if spec.repo is not None) + SPARE_DISK_BYTES


def _why(pair: PairSpec, judged: Fit) -> str:
    assert judged.needs is not None and judged.tps is not None, "a pair that fits"
    return (
        f"{pair.title} runs {WHERE[judged.verdict]} with {memory_size(judged.needs.total)}, at "
        f"about {judged.tps:.0f} tokens/s or more before drafting."
    )


def _demo_why(judged: Fit, needed: dict[str, int], machine: Machine) -> str:
    """Say why nothing larger is named. needed: the room on the disk of each pair that would do."""
    if not judged.fits:
        return "No pair of the catalogue fits this machine; the demo is the smallest there is."
    if needed:
        name = min(needed, key=lambda name: needed[name])
        room = f"{size(needed[name])} free, and {size(machine.disk_free_bytes)} are"
        return f"The disk lacks room for a larger pair: {name}, the smallest, needs {room}."
    return "No larger pair of the catalogue fits this machine and answers quickly enough."
