"""Transformers whose memory is a KV cache alone; Gemma 3's forgets in most layers."""

from __future__ import annotations

from tests.tiny.blocks import (
    attention,
    describe_attention,
    feed_forward,
    query_and_key_norms,
)
from tests.tiny.file import ModelFile, Sizes

WINDOW, WINDOWED_LAYERS, LAYERS_PER_GLOBAL = 16, 6, 3


def llama(file: ModelFile, sizes: Sizes) -> None:
    """Build LLaMA: the plain transformer."""
    _describe(file, sizes, 3)
    for i in range(3):
        _block(file, f"blk.{i}", sizes)


def qwen2(file: ModelFile, sizes: Sizes) -> None:
    """Build Qwen 2: biases on queries, keys and values."""
    _describe(file, sizes, 3)
    for i in range(3):
        block = f"blk.{i}"
        _block(file, block, sizes)
        file.spread(f"{block}.attn_q.bias", (sizes.n_head * sizes.head_dim,), -0.2, 0.2)
        file.spread(f"{block}.attn_k.bias", (sizes.n_head_kv * sizes.head_dim,), -0.2, 0.2)
        file.spread(f"{block}.attn_v.bias", (sizes.n_head_kv * sizes.head_dim,), -0.2, 0.2)


def qwen2vl(file: ModelFile, sizes: Sizes) -> None:
    """Build Qwen 2 VL's text model: Qwen 2 whose positions have two dimensions and a time."""
    qwen2(file, sizes)
    file.keys.add_rope_dimension_sections([2, 3, 3, 0])  # half of head_dim


def qwen3(file: ModelFile, sizes: Sizes) -> None:
    """Build Qwen 3: norms on queries and keys."""
    _describe(file, sizes, 3)
    for i in range(3):
        _block(file, f"blk.{i}", sizes)
        query_and_key_norms(file, f"blk.{i}", sizes)


def gemma3(file: ModelFile, sizes: Sizes) -> None:
    """Build Gemma 3: two layers of three see the last WINDOW positions only."""
    file.describe(sizes, WINDOWED_LAYERS)
    describe_attention(file, sizes, sizes.n_head_kv)
    file.keys.add_sliding_window(WINDOW)
    file.keys.add_sliding_window_pattern(LAYERS_PER_GLOBAL)
    file.embeddings(sizes, std=sizes.n_embd**-0.5)  # the model multiplies them by sqrt(n_embd)
    for i in range(WINDOWED_LAYERS):
        block = f"blk.{i}"
        _block(file, block, sizes)
        query_and_key_norms(file, block, sizes)
        file.norm(f"{block}.post_attention_norm", sizes.n_embd)
        file.norm(f"{block}.post_ffw_norm", sizes.n_embd)


def _describe(file: ModelFile, sizes: Sizes, n_layer: int) -> None:
    file.describe(sizes, n_layer)
    describe_attention(file, sizes, sizes.n_head_kv)
    file.embeddings(sizes)


def _block(file: ModelFile, block: str, sizes: Sizes) -> None:
    file.norm(f"{block}.attn_norm", sizes.n_embd)
    attention(file, block, sizes)
    file.norm(f"{block}.ffn_norm", sizes.n_embd)
    feed_forward(file, block, sizes)
