"""Parts that architectures share: attention, the feed-forward net, the scans of Mamba 1 and 2."""

from __future__ import annotations

from dataclasses import dataclass

from tests.tiny.file import ModelFile, Sizes

SHARP = 1.4  # std of queries and keys: scores of std 2, far from a plain mean over positions
LOUD = 2.0  # gain of what mixes positions, so that old tokens are heard over the newest


@dataclass(frozen=True, slots=True)
class Scan:
    """The shape of a selective state space layer. rank: of the time step, or Mamba 2's heads."""

    inner: int
    state: int = 16
    rank: int = 4
    groups: int = 1
    kernel: int = 4

    def describe(self, file: ModelFile) -> None:
        file.keys.add_ssm_conv_kernel(self.kernel)
        file.keys.add_ssm_inner_size(self.inner)
        file.keys.add_ssm_state_size(self.state)
        file.keys.add_ssm_time_step_rank(self.rank)
        file.keys.add_ssm_group_count(self.groups)


def describe_attention(file: ModelFile, sizes: Sizes, n_head_kv: int | list[int]) -> None:
    """Add attention's metadata; n_head_kv may differ by layer, 0 for layers without attention."""
    file.keys.add_head_count(sizes.n_head)
    file.keys.add_head_count_kv(n_head_kv)
    file.keys.add_key_length(sizes.head_dim)
    file.keys.add_value_length(sizes.head_dim)
    file.keys.add_rope_dimension_count(sizes.head_dim)
    file.keys.add_rope_freq_base(10000.0)


def attention(file: ModelFile, block: str, sizes: Sizes, query_parts: int = 1) -> None:
    """Add the four projections. query_parts: 2 where a gate comes with each query."""
    n_query, n_kv = sizes.n_head * sizes.head_dim, sizes.n_head_kv * sizes.head_dim
    file.matrix(f"{block}.attn_q", query_parts * n_query, sizes.n_embd, SHARP)
    file.matrix(f"{block}.attn_k", n_kv, sizes.n_embd, SHARP)
    file.matrix(f"{block}.attn_v", n_kv, sizes.n_embd)
    file.matrix(f"{block}.attn_output", sizes.n_embd, n_query, LOUD)


def query_and_key_norms(file: ModelFile, block: str, sizes: Sizes) -> None:
    """Add the norms that then set the spread of the scores."""
    file.norm(f"{block}.attn_q_norm", sizes.head_dim, SHARP)
    file.norm(f"{block}.attn_k_norm", sizes.head_dim, SHARP)


def feed_forward(file: ModelFile, block: str, sizes: Sizes) -> None:
    """Add a gated feed-forward net."""
    file.matrix(f"{block}.ffn_gate", sizes.n_ff, sizes.n_embd)
    file.matrix(f"{block}.ffn_up", sizes.n_ff, sizes.n_embd)
    file.matrix(f"{block}.ffn_down", sizes.n_embd, sizes.n_ff)


def mamba_scan(file: ModelFile, block: str, sizes: Sizes, scan: Scan) -> None:
    """Add Mamba's layer: a decay per channel and state, slow enough for dozens of positions."""
    file.matrix(f"{block}.ssm_in", 2 * scan.inner, sizes.n_embd)
    _convolution(file, block, scan.inner, scan.kernel)
    file.matrix(f"{block}.ssm_x", scan.rank + 2 * scan.state, scan.inner, LOUD)
    file.matrix(f"{block}.ssm_dt", scan.inner, scan.rank, 0.3)
    file.spread(f"{block}.ssm_dt.bias", (scan.inner,), -3.0, -1.0)
    file.spread(f"{block}.ssm_a", (scan.inner, scan.state), -0.5, -0.05)
    file.spread(f"{block}.ssm_d", (scan.inner,), 0.1, 0.3)
    file.matrix(f"{block}.ssm_out", sizes.n_embd, scan.inner, LOUD)


def mamba2_scan(file: ModelFile, block: str, sizes: Sizes, scan: Scan) -> None:
    """Add Mamba 2's layer: one decay per head, and a norm before the way out."""
    mixed = scan.inner + 2 * scan.groups * scan.state
    file.matrix(f"{block}.ssm_in", scan.inner + mixed + scan.rank, sizes.n_embd)
    _convolution(file, block, mixed, scan.kernel)
    file.spread(f"{block}.ssm_dt.bias", (scan.rank,), -3.0, -1.0)
    file.spread(f"{block}.ssm_a", (scan.rank, 1), -0.5, -0.05)
    file.spread(f"{block}.ssm_d", (scan.rank, 1), 0.1, 0.3)
    file.spread(f"{block}.ssm_norm.weight", (scan.groups, scan.inner // scan.groups), 0.8, 1.2)
    file.matrix(f"{block}.ssm_out", sizes.n_embd, scan.inner, LOUD)


def _convolution(file: ModelFile, block: str, channels: int, kernel: int) -> None:
    file.spread(f"{block}.ssm_conv1d.weight", (channels, kernel), -1.0, 1.0)
    file.spread(f"{block}.ssm_conv1d.bias", (channels,), -0.1, 0.1)
