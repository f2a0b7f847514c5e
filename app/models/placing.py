"""Where a pair's layers go: how many on the GPU, so that everything fits, and how quick that is.

llama.cpp puts the last layers on the GPU, the output before all others; it counts as one more layer
here as there. Several GPUs share the layers in proportion to what is free on each, so the smallest
is full first. On unified memory, GPU and main memory are one pool. Knows no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.models.figures import Figures
from app.models.machine import Machine
from app.models.needs import (
    MIB,
    Needs,
    compute_bytes,
    draft_context,
    known,
    kv_bytes,
    process_bytes,
    weights_bytes,
)

GPU_MARGIN_BYTES = 512 * MIB
"""For the driver's own context, its libraries' work space, and what the screen takes meanwhile."""
MEMORY_MARGIN_BYTES, MEMORY_MARGIN_SHARE = 256 * MIB, 0.05
CPU_BYTES_PER_S = 20e9
INTEGRATED_BYTES_PER_S = 40e9
GPU_BYTES_PER_S = 150e9
"""Memory bandwidth that slow ones of a kind still have: two DDR4 channels, a small board's LPDDR5,
an entry card's GDDR6. Every token reads all weights once."""
DRAFTED = 4
"""Draft forwards to one of the target, in weighing who goes to the GPU."""


@dataclass(frozen=True, slots=True)
class Placement:
    """gpu_layers, draft_gpu_layers: counted like llama.cpp's, the output included.

    gpu_bytes, memory_bytes: what goes where, margins not counted; token_s: the estimated time of
    a plain token; step_s: of one with its drafting.
    """

    gpu_layers: int
    draft_gpu_layers: int
    is_all_on_gpu: bool
    gpu_bytes: int
    memory_bytes: int
    needs: Needs
    token_s: float
    step_s: float


@dataclass(frozen=True, slots=True)
class _Share:
    """One model with n of its layers on the GPU: bytes there, bytes in main memory."""

    gpu_fixed: int
    gpu_layered: int
    memory: int
    weights: int
    kv: int
    compute: int
    sight: int
    read_s: float


def place(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, machine: Machine
) -> Placement | None:
    """Return the quickest placement that fits the machine, None if none does."""
    options = _options(target, draft, n_ctx, cache_type, machine)
    fitting = [found for found in options if fits(found, machine)]
    return min(fitting, key=lambda found: found.step_s, default=None)


def largest(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, machine: Machine
) -> Placement:
    """Return the placement that puts the most on the GPU, whether it fits main memory or not."""
    return next(_options(target, draft, n_ctx, cache_type, machine))


def fits(placement: Placement, machine: Machine) -> bool:
    """Whether main memory has room now for what the placement leaves to it."""
    return _in_memory(placement, machine) <= usable_memory(machine, machine.memory.available_bytes)


def would_fit(placement: Placement, machine: Machine) -> bool:
    """Whether it would if nothing else ran."""
    return _in_memory(placement, machine) <= usable_memory(machine, machine.memory.total_bytes)


def usable_memory(machine: Machine, size_bytes: int) -> int:
    """Return what may be taken of so much main memory: a margin stays free."""
    margin = max(MEMORY_MARGIN_BYTES, int(MEMORY_MARGIN_SHARE * machine.memory.total_bytes))
    return max(0, size_bytes - margin)


def _in_memory(placement: Placement, machine: Machine) -> int:
    return placement.memory_bytes + (placement.gpu_bytes if machine.is_unified else 0)


def _options(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, machine: Machine
) -> Iterator[Placement]:
    """Yield what the GPUs have room for: with the draft model first, without it, and nothing."""
    drafts = [0] if draft is None else [known(draft.layers) + 1, 0]
    short = n_ctx if draft is None else draft_context(draft, n_ctx)
    for draft_layers in drafts if machine.devices else ():
        beside = _share(draft, draft_layers, short, cache_type, machine) if draft else None
        for layers in range(known(target.layers) + 1, -1, -1):
            share = _share(target, layers, n_ctx, cache_type, machine)
            if _has_room((share, beside) if beside else (share,), machine):
                break
        else:
            continue
        is_all = layers > known(target.layers) and (draft is None or draft_layers > 0)
        yield _placement(target, draft, share, beside, layers, draft_layers, is_all)
    share = _share(target, 0, n_ctx, cache_type, machine)
    beside = _share(draft, 0, short, cache_type, machine) if draft else None
    yield _placement(target, draft, share, beside, 0, 0, False)


def _placement(
    target: Figures,
    draft: Figures | None,
    share: _Share,
    beside: _Share | None,
    layers: int,
    draft_layers: int,
    is_all: bool,
) -> Placement:
    shares = (share, beside) if beside else (share,)
    process = process_bytes((target, draft) if draft else (target,))
    return Placement(
        gpu_layers=layers,
        draft_gpu_layers=draft_layers,
        is_all_on_gpu=is_all,
        gpu_bytes=sum(one.gpu_fixed + one.gpu_layered for one in shares),
        memory_bytes=process + sum(one.memory for one in shares),
        needs=Needs(
            sum(one.weights for one in shares),
            sum(one.kv for one in shares),
            sum(one.compute for one in shares),
            process,
            sum(one.sight for one in shares),
        ),
        token_s=share.read_s,
        step_s=share.read_s + (DRAFTED * beside.read_s if beside else 0.0),
    )


def _share(model: Figures, layers: int, n_ctx: int, cache_type: str, machine: Machine) -> _Share:
    """Divide a model between GPU and main memory, `layers` of it on the GPU."""
    n = known(model.layers)
    in_file, kv = known(model.weights_bytes), kv_bytes(model, n_ctx, cache_type)
    on_cpu = weights_bytes(model, "AMX" if machine.has_amx else "CPU")
    left = n + 1 - layers
    gpu_weights, weights = -(-in_file * layers // (n + 1)), -(-on_cpu * left // (n + 1))
    gpu_kv = -(-kv * max(0, layers - 1) // n)
    compute = compute_bytes(model, n_ctx, cache_type, on_gpu=layers > 0)
    gpu_compute, cpu_compute = compute * (layers > 0), compute * (left > 0)
    fast = INTEGRATED_BYTES_PER_S if machine.is_unified else GPU_BYTES_PER_S
    return _Share(
        gpu_fixed=gpu_compute + model.sight_bytes * (layers > 0),
        gpu_layered=gpu_weights + gpu_kv,
        memory=weights + kv - gpu_kv + cpu_compute + model.sight_bytes * (layers == 0),
        weights=gpu_weights + weights,
        kv=kv,
        compute=gpu_compute + cpu_compute,
        sight=model.sight_bytes,
        read_s=gpu_weights / fast + weights / CPU_BYTES_PER_S,
    )


def _has_room(shares: tuple[_Share, ...], machine: Machine) -> bool:
    """Whether the GPUs have room for these, each with buffers of its own and a margin.

    Of F free bytes in all and f on a device, that takes f / F of the layers: they must leave a
    margin m there, so all layers together are at most F * (1 - m / f) for the smallest f.
    """
    layered = sum(share.gpu_layered for share in shares)
    if layered == 0:
        return True
    free = [device.free_bytes for device in machine.devices]
    margin = GPU_MARGIN_BYTES + sum(share.gpu_fixed for share in shares)
    smallest = min(free)
    return smallest > 0 and layered <= sum(free) * (1 - margin / smallest)
