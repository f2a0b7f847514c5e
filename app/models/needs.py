"""The memory that a pair takes, from the models' figures. Knows no machine; arithmetic alone.

Counted, for the target and for the draft model, each with a context of its own of n_ctx tokens,
the draft model's no longer than it was made for:

weights   the file; on AMX as its kernels rearrange it, with an embedding table that is the output
          too as it was beside that. The file's own pages may show up in a process's memory, but can
          be dropped at any time: not counted.
caches    kv_bytes_per_token * n_ctx; q8_0 stores 32 values in 34 bytes, f16 in 64. Layers with a
          window that slides keep less: which those are is not known here, and they count in full.
compute   llama.cpp keeps one buffer for the widest batch, T = 256 tokens (512 with a projector
          or wherever a GPU takes part, fewer in a smaller context), of which 48 may want logits.
          Its allocator reuses what a node no longer needs, so the size is that of the graph's
          widest place. In floats per token of the batch, with the residual stream E wide, all
          heads' queries Q, a KV cache's layer V, a feed-forward block F, one of these three:
            output     the vocabulary + 2 E, of 48 tokens
            feeding    3 F + 4 E: gate, up, and their product beside the stream
            attention  heads * n_ctx scores + n_ctx of mask + 2 V of 8-byte cell indices + 3 E + 2 Q
          Flash attention, which is on wherever a GPU takes part or the cache is quantised, keeps no
          scores, no indices per value, and a mask of half the width.
pictures  what lets the target see them, with its buffers (projector.py); it goes where layers go.
process   Python, numpy and llama.cpp (measured: 56 MiB on Python 3.11, 74 on 3.14; 10 more in huge
          pages), and per token of a vocabulary its texts in two tables (270 bytes) and 32 rows of
          scores kept for verifying.

Where a figure that matters little is unknown, a usual one stands for it: 4 E for F, 128 per head
for E and Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.models.figures import Figures

MIB = 2**20
BATCH_TOKENS, WIDE_BATCH_TOKENS, ROWS = 256, 512, 48
"""What the engine asks llama.cpp for."""
CELLS = 256
"""llama.cpp rounds contexts up to a multiple of this."""
CACHE_SHARE = {"f16": 1.0, "q8_0": 34 / 64}
FLOAT_BYTES = 4
USUAL_HEAD_WIDTH, USUAL_FEED_FORWARD = 128, 4
PROCESS_BYTES = 74 * MIB
TOKEN_BYTES = 270
KEPT_ROWS = 32

Place = Literal["CPU", "AMX", "GPU"]
"""What computes: a processor, one with AMX kernels, or a GPU that all of it is on."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes by what they are for."""

    weights_bytes: int
    kv_bytes: int
    compute_bytes: int
    process_bytes: int
    sight_bytes: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        models = self.weights_bytes + self.kv_bytes + self.compute_bytes + self.sight_bytes
        return models + self.process_bytes


def needs(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, place: Place = "CPU"
) -> Needs | None:
    """Return what the pair takes where all of it is in one place; None if a figure is unknown."""
    models, contexts = [target], [n_ctx]
    if draft is not None:
        models.append(draft)
        contexts.append(draft_context(draft, n_ctx))
    if any(model.missing for model in models):
        return None
    on_gpu, each = place == "GPU", list(zip(models, contexts, strict=True))
    return Needs(
        sum(weights_bytes(model, place) for model in models),
        sum(kv_bytes(model, n, cache_type) for model, n in each),
        sum(compute_bytes(model, n, cache_type, on_gpu) for model, n in each),
        process_bytes(models),
        target.sight_bytes,
    )


def draft_context(draft: Figures, n_ctx: int) -> int:
    """Return the context that a draft model is opened with beside a target's, as the engine does
    it.
    """
    return min(n_ctx, draft.context or n_ctx)


def has_flash_attention(cache_type: str, on_gpu: bool) -> bool:
    """Whether the engine computes attention without keeping scores."""
    return on_gpu or cache_type != "f16"


def weights_bytes(model: Figures, place: Place) -> int:
    """Return what the weights take."""
    return known(model.packed_bytes if place == "AMX" else model.weights_bytes)


def kv_bytes(model: Figures, n_ctx: int, cache_type: str) -> int:
    """Return what the KV cache takes."""
    share = CACHE_SHARE[model.cache_type or cache_type]
    return int(known(model.kv_bytes_per_token) * _cells(n_ctx) * share)


def compute_bytes(model: Figures, n_ctx: int, cache_type: str, on_gpu: bool) -> int:
    """Return what the compute buffer takes: the widest place of the graph.

    on_gpu: whether a GPU takes part.
    """
    cells, heads = _cells(n_ctx), known(model.heads)
    stream = model.embedding or heads * USUAL_HEAD_WIDTH
    queries = model.queries or heads * USUAL_HEAD_WIDTH
    values = known(model.kv_bytes_per_token) // (2 * 2 * known(model.layers))
    output = known(model.vocabulary) + 2 * stream
    feeding = 3 * (model.feed_forward or USUAL_FEED_FORWARD * stream) + 4 * stream
    attention = 3 * stream + 2 * queries
    if has_flash_attention(model.cache_type or cache_type, on_gpu):
        mask = cells // 2
        attention += mask
    else:
        mask = cells
        attention += heads * cells + mask + 2 * values
    widest = WIDE_BATCH_TOKENS if on_gpu or model.sight_bytes else BATCH_TOKENS
    n_batch = min(widest, n_ctx)
    return FLOAT_BYTES * max(min(ROWS, n_batch) * output, n_batch * max(feeding + mask, attention))


def process_bytes(models: Sequence[Figures]) -> int:
    """Return what the engine process itself holds."""
    per_token = TOKEN_BYTES + FLOAT_BYTES * KEPT_ROWS
    return PROCESS_BYTES + per_token * sum(known(model.vocabulary) for model in models)


def known(figure: int | None) -> int:
    """Return a figure that was looked at before."""
    assert figure is not None, "checked by Figures.missing"
    return figure


def _cells(n_ctx: int) -> int:
    return -(-n_ctx // CELLS) * CELLS
