"""Models with both memories, a KV cache in some layers and a state of fixed size in the others.

llama.cpp can keep a few earlier states of LFM2 and Qwen 3.5, and none of Granite's.
"""

from __future__ import annotations

from tests.tiny.blocks import (
    LOUD,
    Scan,
    attention,
    describe_attention,
    feed_forward,
    mamba2_scan,
    query_and_key_norms,
)
from tests.tiny.file import ModelFile, Sizes

GRANITE_ATTENDS = (False, True, False, True)
LFM2_ATTENDS = (False, True, False, False, True, False)
LFM2_KERNEL = 3
QWEN35_ATTENDS_EVERY = 2


def granitehybrid(file: ModelFile, sizes: Sizes) -> None:
    """Build Granite 4: layers of Mamba 2 between layers of attention."""
    file.describe(sizes, len(GRANITE_ATTENDS))
    describe_attention(file, sizes, _kv_heads(GRANITE_ATTENDS, sizes))
    scan = Scan(inner=2 * sizes.n_embd, rank=8)
    scan.describe(file)
    file.embeddings(sizes)
    for i, attends in enumerate(GRANITE_ATTENDS):
        block = f"blk.{i}"
        file.norm(f"{block}.attn_norm", sizes.n_embd)
        if attends:
            attention(file, block, sizes)
        else:
            mamba2_scan(file, block, sizes, scan)
        file.norm(f"{block}.ffn_norm", sizes.n_embd)
        feed_forward(file, block, sizes)


def lfm2(file: ModelFile, sizes: Sizes) -> None:
    """Build LFM2: gated convolutions over LFM2_KERNEL positions, and attention."""
    file.describe(sizes, len(LFM2_ATTENDS))
    describe_attention(file, sizes, _kv_heads(LFM2_ATTENDS, sizes))
    file.keys.add_shortconv_l_cache(LFM2_KERNEL)
    file.embeddings(sizes, norm="token_embd_norm")  # llama.cpp's name for the output norm here
    for i, attends in enumerate(LFM2_ATTENDS):
        block = f"blk.{i}"
        file.norm(f"{block}.attn_norm", sizes.n_embd)
        if attends:
            attention(file, block, sizes)
            query_and_key_norms(file, block, sizes)
        else:
            _short_convolution(file, f"{block}.shortconv", sizes.n_embd)
        file.norm(f"{block}.ffn_norm", sizes.n_embd)
        feed_forward(file, block, sizes)


def qwen35(file: ModelFile, sizes: Sizes) -> None:
    """Build Qwen 3.5: gated delta nets, and attention whose output is gated."""
    n_layer = 2 * QWEN35_ATTENDS_EVERY
    file.describe(sizes, n_layer)
    describe_attention(file, sizes, sizes.n_head_kv)
    file.keys.add_rope_dimension_sections([3, 3, 2, 0])  # half of head_dim
    file.keys.add_full_attention_interval(QWEN35_ATTENDS_EVERY)
    net = Scan(inner=sizes.n_embd, state=16, rank=sizes.n_embd // 16, groups=2)
    net.describe(file)
    file.embeddings(sizes)
    for i in range(n_layer):
        block = f"blk.{i}"
        file.norm(f"{block}.attn_norm", sizes.n_embd)
        if (i + 1) % QWEN35_ATTENDS_EVERY == 0:
            attention(file, block, sizes, query_parts=2)
            query_and_key_norms(file, block, sizes)
        else:
            _delta_net(file, block, sizes, net)
        file.norm(f"{block}.post_attention_norm", sizes.n_embd)
        feed_forward(file, block, sizes)


def _kv_heads(attends: tuple[bool, ...], sizes: Sizes) -> list[int]:
    return [sizes.n_head_kv if layer_attends else 0 for layer_attends in attends]


def _short_convolution(file: ModelFile, name: str, n: int) -> None:
    file.matrix(f"{name}.in_proj", 3 * n, n)
    file.spread(f"{name}.conv.weight", (n, LFM2_KERNEL), -1.0, 1.0)
    file.matrix(f"{name}.out_proj", n, n)


def _delta_net(file: ModelFile, block: str, sizes: Sizes, net: Scan) -> None:
    mixed = net.inner + 2 * net.groups * net.state
    file.matrix(f"{block}.attn_qkv", mixed, sizes.n_embd)
    file.matrix(f"{block}.attn_gate", net.inner, sizes.n_embd)
    file.spread(f"{block}.ssm_conv1d.weight", (mixed, net.kernel), -1.0, 1.0)
    file.spread(f"{block}.ssm_dt.bias", (net.rank,), -3.0, -1.0)
    file.spread(f"{block}.ssm_a", (net.rank,), -0.5, -0.05)
    file.matrix(f"{block}.ssm_beta", net.rank, sizes.n_embd)
    file.matrix(f"{block}.ssm_alpha", net.rank, sizes.n_embd)
    file.norm(f"{block}.ssm_norm", net.state)
    file.matrix(f"{block}.ssm_out", sizes.n_embd, net.inner, LOUD)
