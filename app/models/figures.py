"""What a model's memory follows from: of the catalogue's entry, or of a GGUF file's own header.

A figure that is not known is None, never a guess. Knows nothing about machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.models.catalog import ModelSpec
from app.models.header import read_header

Q8_0_FILE = 7
Q8_0_PACKED = 38 / 34
"""AMX kernels keep a sum of 4 bytes beside each 34 bytes of 32 weights; other layouts grow by 3 %
at most."""
BYTES_PER_KV_VALUE = 2
KEEPS_MORE_THAN_KV = (".ssm.", ".wkv.", ".shortconv.", ".attention.kv_lora_rank")
REQUIRED = {
    "weights_bytes": "size",
    "layers": "layers",
    "heads": "heads",
    "kv_bytes_per_token": "cache bytes per token",
    "vocabulary": "vocabulary",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A model's sizes; None where unknown.

    kv_bytes_per_token: of an f16 cache, all layers together. packed_bytes: the weights as AMX
    kernels rearrange them. embedding, queries, feed_forward: the widths of the residual stream, of
    all heads' queries together, and of a feed-forward block. context: what it was trained for.
    """

    weights_bytes: int | None = None
    packed_bytes: int | None = None
    layers: int | None = None
    heads: int | None = None
    kv_bytes_per_token: int | None = None
    vocabulary: int | None = None
    context: int | None = None
    embedding: int | None = None
    queries: int | None = None
    feed_forward: int | None = None

    @property
    def missing(self) -> list[str]:
        """What the memory cannot be calculated without, and is not known."""
        return [words for name, words in REQUIRED.items() if getattr(self, name) is None]


def of_spec(spec: ModelSpec) -> Figures:
    """Return what the catalogue says of a model."""
    is_q8_0 = "q8_0" in (spec.file or spec.embedded or spec.path or "").lower()
    return Figures(
        weights_bytes=spec.size,
        packed_bytes=_packed(spec.size, is_q8_0),
        layers=spec.layers,
        heads=spec.heads,
        kv_bytes_per_token=spec.kv_bytes_per_token,
        vocabulary=spec.vocabulary,
        context=spec.context,
    )


def of_file(path: Path) -> Figures:
    """Return what a file says of itself; all unknown but the size if it is no whole GGUF header.

    Raises OSError.
    """
    size = path.stat().st_size
    try:
        keys = read_header(path).keys
    except ValueError:
        return Figures(weights_bytes=size)
    if (_one(keys.get("split.count")) or 1) > 1:  # the first of several files
        return _of_keys(keys, None)
    return _of_keys(keys, size)


def _of_keys(keys: dict[str, Any], size: int | None) -> Figures:
    of_arch = f"{keys.get('general.architecture')}."
    own: dict[str, Any] = {
        key.removeprefix(of_arch): value
        for key, value in keys.items()
        if key.startswith(of_arch) and isinstance(value, int | tuple)
    }
    layers, embedding = _one(own.get("block_count")), _one(own.get("embedding_length"))
    heads = _largest(own.get("attention.head_count"))
    key_width = _one(own.get("attention.key_length"))
    if key_width is None and heads and embedding:
        key_width = embedding // heads
    tokens = keys.get("tokenizer.ggml.tokens", own.get("vocab_size"))
    has_more = any(part in f".{key}" for key in own for part in KEEPS_MORE_THAN_KV)
    return Figures(
        weights_bytes=size,
        packed_bytes=_packed(size, keys.get("general.file_type") == Q8_0_FILE),
        layers=layers,
        heads=heads,
        kv_bytes_per_token=None if has_more else _kv_bytes(own, layers, heads, key_width),
        vocabulary=_one(tokens),
        context=_one(own.get("context_length")),
        embedding=embedding,
        queries=heads * key_width if heads and key_width else None,
        feed_forward=_largest(own.get("feed_forward_length")),
    )


def _kv_bytes(
    own: dict[str, Any], layers: int | None, heads: int | None, key_width: int | None
) -> int | None:
    """Return a token's bytes in all layers' f16 caches."""
    kv_heads = own.get("attention.head_count_kv", heads)
    if not (layers and kv_heads and key_width):
        return None
    in_all = sum(kv_heads) if isinstance(kv_heads, tuple) else kv_heads * layers
    value_width = _one(own.get("attention.value_length")) or key_width
    return BYTES_PER_KV_VALUE * in_all * (key_width + value_width) or None


def _one(value: Any) -> int | None:
    """Return what should be one number; None if it is anything else."""
    return value if isinstance(value, int) else None


def _packed(size: int | None, is_q8_0: bool) -> int | None:
    return int(size * Q8_0_PACKED) if size is not None and is_q8_0 else size


def _largest(value: Any) -> int | None:
    """Return a number that may be given once or per layer; 0 means that there is none."""
    largest = max(value, default=0) if isinstance(value, tuple) else value
    return largest or None
