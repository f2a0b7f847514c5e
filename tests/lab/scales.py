"""The sizes of models that a small pair is inflated to (inflate.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """What a Llama model's cost follows from."""

    width: int
    layers: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocab: int


SIZE_KEYS = (  # in the order of Size
    "embedding_length",
    "block_count",
    "attention.head_count",
    "attention.head_count_kv",
    "feed_forward_length",
    "vocab_size",
)

# Widths are multiples of 256, a row of Q4_K, and heads keep the target's four queries per KV head.
SCALES = {
    "1b": Size(2048, layers=22, heads=32, kv_heads=8, feed_forward=5632, vocab=32_000),
    "7b": Size(4096, layers=32, heads=64, kv_heads=16, feed_forward=11_008, vocab=32_000),
    "small": Size(768, layers=8, heads=12, kv_heads=3, feed_forward=2048, vocab=8_192),
}
BLURRED = {  # three queries per KV head, as the draft has
    "1b": Size(768, layers=10, heads=12, kv_heads=4, feed_forward=2048, vocab=32_000),
    "7b": Size(1536, layers=16, heads=24, kv_heads=8, feed_forward=4096, vocab=32_000),
    "small": Size(384, layers=4, heads=6, kv_heads=2, feed_forward=1024, vocab=8_192),
}

WIDER, ROW = 8 / 3, 256


def widened(size: Size) -> Size:
    """Return the size of a real model's inflated target: 135M parameters become 0.9B."""
    kv_heads = math.ceil(size.kv_heads * WIDER)
    return Size(
        width=_whole_rows(size.width),
        layers=size.layers,
        heads=size.heads // size.kv_heads * kv_heads,
        kv_heads=kv_heads,
        feed_forward=_whole_rows(size.feed_forward),
        vocab=size.vocab,
    )


def _whole_rows(n: int) -> int:
    return math.ceil(n * WIDER / ROW) * ROW
