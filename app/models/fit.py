"""Whether a pair fits this machine, and what would if it does not: said before a download or load.

Arithmetic over figures and a Machine; touches neither file nor device. What needs.py counts must
fit beside what is in use now, with a margin. Where a figure is unknown the verdict is "unknown",
unless the weights alone are more than the machine's whole memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from app.hardware import GIB, MIB
from app.models.catalog import Catalog, PairSpec, Tier
from app.models.figures import Figures, of_spec
from app.models.machine import Machine
from app.models.needs import Needs, needs
from app.models.placing import Placement, largest, place, would_fit
from app.models.projector import sight_bytes
from app.sizes import memory_size
from engine import DEFAULT_MAX_CTX

__all__ = ["Alternative", "Fit", "Needs", "fit", "fit_pair", "needs", "usual_context"]

Verdict = Literal["GPU", "partly on GPU", "CPU", "does not fit", "unknown"]
RANKS: dict[Verdict, int] = {
    "unknown": 0,
    "does not fit": 0,
    "CPU": 1,
    "partly on GPU": 2,
    "GPU": 3,
}
TIERS: tuple[Tier, ...] = ("any", "4 GB", "8 GB", "12 GB", "16 GB", "24 GB")
USUAL_CACHE = "f16"
LEAST_CTX = 512
"""The smallest context that is worth offering."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """What would fit, or fit better. n_ctx, cache_type, with_draft, pair, with_sight: as it was
    asked about (pair: its name, "" for the one at hand); line: the same in words.
    """

    line: str
    verdict: Verdict
    n_ctx: int
    cache_type: str
    with_draft: bool
    pair: str = ""
    with_sight: bool = True


@dataclass(frozen=True, slots=True)
class Fit:
    """gpu_layers, draft_gpu_layers: as in PairSettings, None for all, the draft's: as the target.

    needs: None if unknown. tps: estimated tokens/s of plain decoding, None unless it fits. line:
    the numbers in words.
    """

    verdict: Verdict
    needs: Needs | None
    gpu_layers: int | None
    draft_gpu_layers: int | None
    line: str
    tps: float | None = None
    alternatives: tuple[Alternative, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it is known to fit, wherever."""
        return RANKS[self.verdict] > 0


def fit(
    target: Figures,
    draft: Figures | None,
    n_ctx: int,
    cache_type: str,
    machine: Machine,
    name: str = "",
    catalog: Catalog | None = None,
) -> Fit:
    """Judge a pair in a context of n_ctx tokens, and look for what would fit better.

    name: the pair's, so that a smaller one of the catalogue can be offered.
    """
    found = _judge(target, draft, n_ctx, cache_type, machine)
    asked = Alternative("", found.verdict, n_ctx, cache_type, draft is not None)
    others = list(_changed(target, draft, asked, machine))
    if not found.fits and catalog is not None:
        others += _smaller(target, name, catalog, cache_type, machine)
    return replace(found, alternatives=tuple(others))


def fit_pair(name: str, catalog: Catalog, machine: Machine) -> Fit:
    """Judge a pair of the catalogue by the catalogue's figures, in its own context."""
    pair = catalog.pair(name)
    target, draft = _figures(pair, catalog)
    n_ctx = usual_context(pair.ctx_size, target)
    return fit(target, draft, n_ctx, USUAL_CACHE, machine, name, catalog)


def usual_context(asked: int | None, target: Figures) -> int:
    """Return the context that a target is opened with, as the engine does it. asked: by who opens
    it, or by its pair.
    """
    return asked or min(target.context or DEFAULT_MAX_CTX, DEFAULT_MAX_CTX)


def _judge(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, machine: Machine
) -> Fit:
    if target.missing or (draft is not None and draft.missing):
        return _unjudged(target, draft, machine)
    placement = place(target, draft, n_ctx, cache_type, machine)
    if placement is None:
        wanted = largest(target, draft, n_ctx, cache_type, machine)
        hint = ""
        if would_fit(wanted, machine):
            hint = f"; close other programs: it fits into {memory_size(machine.memory.total_bytes)}"
        return Fit("does not fit", wanted.needs, 0, 0, _numbers(wanted, machine) + hint)
    verdict: Verdict = "CPU"
    if placement.is_all_on_gpu:
        verdict = "GPU"
    elif placement.gpu_layers or placement.draft_gpu_layers:
        verdict = "partly on GPU"
    layers, draft_layers = _settings(placement, target, draft)
    line = _numbers(placement, machine)
    if verdict == "partly on GPU":
        line += f"; {_split(placement, target, draft)}"
    return Fit(verdict, placement.needs, layers, draft_layers, line, 1 / placement.token_s)


def _unjudged(target: Figures, draft: Figures | None, machine: Machine) -> Fit:
    """Say what can be said where figures are missing: weights that are too many are known to be."""
    weights = sum(model.weights_bytes or 0 for model in (target, draft) if model is not None)
    apart = sum(device.total_bytes for device in machine.devices if not device.is_integrated)
    whole = machine.memory.total_bytes + apart
    if weights <= whole:
        return Fit("unknown", None, None, None, _unknown(target, draft))
    line = f"needs {memory_size(weights)} for weights alone: the machine has {memory_size(whole)}"
    return Fit("does not fit", None, 0, 0, line)


def _settings(
    placement: Placement, target: Figures, draft: Figures | None
) -> tuple[int | None, int | None]:
    """Return the layers as PairSettings has them."""
    layers = placement.gpu_layers
    is_whole = target.layers is not None and layers > target.layers
    if draft is None:
        return (None if is_whole else layers), None
    as_target = is_whole and placement.draft_gpu_layers > 0
    return (None if is_whole else layers), (None if as_target else placement.draft_gpu_layers)


def _numbers(placement: Placement, machine: Machine) -> str:
    """Say what is needed and what is free."""
    amount = placement.needs
    parts = {
        "weights": amount.weights_bytes,
        "caches": amount.kv_bytes,
        "buffers": amount.compute_bytes + amount.process_bytes,
    }
    if amount.sight_bytes:
        parts["pictures"] = amount.sight_bytes
    unit, unit_bytes, digits = ("MB", MIB, 0) if amount.total < GIB else ("GB", GIB, 1)
    needed = f"{amount.total / unit_bytes:.{digits}f} {unit}"
    listed = ", ".join(f"{what} {size / unit_bytes:.{digits}f}" for what, size in parts.items())
    free = [f"{memory_size(device.free_bytes)} on {device.name}" for device in machine.devices]
    free.append(f"{memory_size(machine.memory.available_bytes)} of memory")
    shared = ", which is one with the GPU's" if machine.is_unified else ""
    note = f" ({machine.note})" if machine.note else ""
    return f"needs {needed}: {listed}; free: {', '.join(free)}{shared}{note}"


def _split(placement: Placement, target: Figures, draft: Figures | None) -> str:
    """Say what is on the GPU."""
    text = f"{placement.gpu_layers} of {(target.layers or 0) + 1} layers on the GPU"
    if draft is not None:
        text += f", the draft model {'too' if placement.draft_gpu_layers else 'on the processor'}"
    return text


def _unknown(target: Figures, draft: Figures | None) -> str:
    """Say what keeps the memory from being calculated."""
    gaps = [f"the target's {', '.join(target.missing)}"] if target.missing else []
    if draft is not None and draft.missing:
        gaps.append(f"the draft model's {', '.join(draft.missing)}")
    return f"whether it fits cannot be said: not known are {'; '.join(gaps)}"


def _changed(
    target: Figures, draft: Figures | None, asked: Alternative, machine: Machine
) -> Iterator[Alternative]:
    """Yield single changes that get a better verdict; all of them together if none does."""
    smaller = [replace(asked, n_ctx=n) for n in _contexts(asked.n_ctx)]
    singles = [
        smaller,
        [replace(asked, cache_type="q8_0")] if asked.cache_type == "f16" else [],
        [replace(asked, with_draft=False)] if draft is not None else [],
        [replace(asked, with_sight=False)] if target.sight_bytes else [],
    ]
    together = [
        replace(option, cache_type="q8_0", with_draft=False, with_sight=not target.sight_bytes)
        for option in smaller
    ]
    found = False
    for options in (*singles, together):
        if options is together and found:
            return
        for option in options:
            beside = draft if option.with_draft else None
            sight = target.sight_bytes if option.with_sight else 0
            seeing = replace(target, sight_bytes=sight)
            judged = _judge(seeing, beside, option.n_ctx, option.cache_type, machine)
            if RANKS[judged.verdict] > RANKS[asked.verdict]:
                found = True
                yield replace(option, verdict=judged.verdict, line=_words(option, asked, judged))
                break


def _contexts(n_ctx: int) -> list[int]:
    """Return the powers of two below n_ctx, the largest first."""
    powers = (1 << bits for bits in range(n_ctx.bit_length(), 0, -1))
    return [power for power in powers if LEAST_CTX <= power < n_ctx]


def _words(option: Alternative, asked: Alternative, judged: Fit) -> str:
    changes = []
    if option.n_ctx != asked.n_ctx:
        changes.append(f"a context of {option.n_ctx} tokens (--ctx-size {option.n_ctx})")
    if option.cache_type != asked.cache_type:
        changes.append("a smaller cache (--cache-type q8_0)")
    if option.with_draft != asked.with_draft:
        changes.append("no draft model (--drafter lookup)")
    if option.with_sight != asked.with_sight:
        changes.append("no pictures (--mmproj none)")
    return f"with {' and '.join(changes)}: {_outcome(judged)}"


def _outcome(judged: Fit) -> str:
    assert judged.needs is not None, "a fit that was calculated"
    where = {"GPU": "fits on the GPU", "CPU": "fits into main memory"}
    return f"{where.get(judged.verdict, judged.verdict)}, {memory_size(judged.needs.total)}"


def _smaller(
    target: Figures, name: str, catalog: Catalog, cache_type: str, machine: Machine
) -> Iterator[Alternative]:
    """Yield the largest pair of a smaller tier that fits, the demo aside. What is no pair, or for
    any memory, is above all tiers: its size alone tells what is smaller.
    """
    pair = catalog.pairs.get(name)
    tier = TIERS.index(pair.tier if pair is not None else "any") or len(TIERS)
    if tier == len(TIERS) and not target.weights_bytes:
        return  # nobody knows what would be smaller
    sees = target.sight_bytes > 0
    fitting = []
    for other, spec in catalog.pairs.items():
        if spec.tier == "any" or TIERS.index(spec.tier) >= tier or sees != bool(spec.mmproj):
            continue
        figures, draft = _figures(spec, catalog)
        n_ctx = usual_context(spec.ctx_size, figures)
        judged = _judge(figures, draft, n_ctx, cache_type, machine)
        size = figures.weights_bytes or 0
        if judged.fits and size < (target.weights_bytes or size + 1):
            line = f"{spec.title} ({other}): {_outcome(judged)}"
            is_with = draft is not None
            offer = Alternative(line, judged.verdict, n_ctx, cache_type, is_with, other)
            fitting.append((size, offer))
    if fitting:
        yield max(fitting, key=lambda one: one[0])[1]


def _figures(pair: PairSpec, catalog: Catalog) -> tuple[Figures, Figures | None]:
    """Return the figures of a pair's models as the catalogue has them."""
    target, *rest = (of_spec(spec) for spec in catalog.members(pair))
    projector = catalog.projector(pair)
    if projector is not None:
        target = replace(target, sight_bytes=sight_bytes(projector.size))
    return target, rest[0] if rest else None
