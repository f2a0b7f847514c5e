"""What a model's memory follows from: of the catalogue's entry, or of a GGUF file's own header.

A figure that is not known is None, never a guess. Knows nothing about machines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.models.catalog import ModelSpec, parts_of
from app.models.header import Tensor, read_header

Q8_0_FILE = 7
Q8_0_PACKED = 38 / 34
"""AMX kernels keep a sum of 4 bytes beside each 34 bytes of 32 weights; other layouts grow by 3 %
at most."""
AMX_BYTES = {
    2: (18, 32),
    3: (20, 32),
    8: (34, 32),
    12: (144, 256),
    13: (176, 256),
    14: (210, 256),
    23: (136, 256),
}
"""The kinds of numbers that AMX has kernels for: Q4_0, Q4_1, Q8_0, Q4_K, Q5_K, Q6_K, IQ4_XS; bytes
of a block, and how many numbers are in it."""
BYTES_PER_KV_VALUE = 2
KEEPS_MORE_THAN_KV = (".ssm.", ".wkv.", ".shortconv.", ".attention.kv_lora_rank")
MOST = 2**40
"""No number of layers, heads or widths is as large."""
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

    kv_bytes_per_token: of an f16 cache, all layers together. embedding, queries, feed_forward: the
    widths of the residual stream, of all heads' queries together, and of a feed-forward block.
    context: what it was trained for. tied_bytes: of an embedding table that is the output as well;
    where that is rearranged, the table as it was is kept beside it. sight_bytes: of its projector,
    with the buffers of that (projector.py). cache_type: its own, where that is not the pair's.
    """

    weights_bytes: int | None = None
    is_q8_0: bool = False
    layers: int | None = None
    heads: int | None = None
    kv_bytes_per_token: int | None = None
    vocabulary: int | None = None
    context: int | None = None
    embedding: int | None = None
    queries: int | None = None
    feed_forward: int | None = None
    tied_bytes: int = 0
    sight_bytes: int = 0
    cache_type: str | None = None

    @property
    def packed_bytes(self) -> int | None:
        """The weights as AMX kernels rearrange them."""
        if self.weights_bytes is None:
            return None
        growth = Q8_0_PACKED if self.is_q8_0 else 1.0
        return int(self.weights_bytes * growth) + self.tied_bytes

    @property
    def missing(self) -> list[str]:
        """What the memory cannot be calculated without, and is not known."""
        return [words for name, words in REQUIRED.items() if getattr(self, name) is None]


def of_spec(spec: ModelSpec) -> Figures:
    """Return what the catalogue says of a model."""
    return Figures(
        weights_bytes=spec.size,
        is_q8_0="q8_0" in (spec.file or spec.embedded or spec.path or "").lower(),
        layers=spec.layers,
        heads=spec.heads,
        kv_bytes_per_token=spec.kv_bytes_per_token,
        vocabulary=spec.vocabulary,
        context=spec.context,
    )


def of_file(path: Path) -> Figures:
    """Return what a file says of itself; all unknown but the size if it is no whole GGUF header.

    Of a split model it is the first file, and the size that of all files. Raises OSError.
    """
    try:
        header = read_header(path)
    except ValueError:
        return Figures(weights_bytes=path.stat().st_size)
    n_parts = _one(header.keys.get("split.count")) or 1
    if n_parts > 1:  # the output may be in another file than the embedding table
        return _of_keys(header.keys, _size_of_all(path, n_parts))
    size = path.stat().st_size
    tied_bytes = min(_tied_bytes(header.tied), size)
    return replace(_of_keys(header.keys, size), tied_bytes=tied_bytes)


def _size_of_all(path: Path, n_parts: int) -> int | None:
    """Return the bytes of a split model's files, None if one is not beside the first."""
    parts = [path.with_name(name) for name in parts_of(path.name)]
    if len(parts) != n_parts or not all(part.is_file() for part in parts):
        return None
    return sum(part.stat().st_size for part in parts)


def _tied_bytes(tied: Tensor | None) -> int:
    if tied is None or tied.kind not in AMX_BYTES:
        return 0
    block_bytes, n = AMX_BYTES[tied.kind]
    return tied.n_weights * block_bytes // n


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
        is_q8_0=keys.get("general.file_type") == Q8_0_FILE,
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
    each = _numbers(kv_heads)
    if each is None:
        return None
    in_all = sum(each) if isinstance(kv_heads, tuple) else each[0] * layers
    value_width = _one(own.get("attention.value_length")) or key_width
    return BYTES_PER_KV_VALUE * in_all * (key_width + value_width) or None


def _one(value: Any) -> int | None:
    """Return what should be one number above 0; None if it is anything else."""
    return None if isinstance(value, tuple) else _largest(value)


def _largest(value: Any) -> int | None:
    """Return a number that may be given once or per layer; 0 means that there is none."""
    return max(_numbers(value) or (0,)) or None


def _numbers(value: Any) -> tuple[int, ...] | None:
    """Return what should be a number of things, or one for each layer; None if it is anything
    else, as in a file that is damaged.
    """
    values = value if isinstance(value, tuple) else (value,)
    are_numbers = all(type(each) is int and 0 <= each < MOST for each in values)
    return values if values and are_numbers else None
