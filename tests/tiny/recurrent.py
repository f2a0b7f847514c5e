"""Models whose only memory is a state of fixed size: Mamba, Mamba 2, RWKV 7."""

from __future__ import annotations

from collections.abc import Callable

from tests.tiny.blocks import LOUD, Scan, mamba2_scan, mamba_scan
from tests.tiny.file import ModelFile, Sizes

HEAD_SIZE, RANK = 64, 8  # a smaller head would be read past its end by wide vector code


def mamba(file: ModelFile, sizes: Sizes) -> None:
    """Build Mamba."""
    _mamba(file, sizes, Scan(inner=2 * sizes.n_embd, groups=0), mamba_scan)


def mamba2(file: ModelFile, sizes: Sizes) -> None:
    """Build Mamba 2: heads share a decay, groups share their projections."""
    _mamba(file, sizes, Scan(inner=2 * sizes.n_embd, rank=8), mamba2_scan)


def rwkv7(file: ModelFile, sizes: Sizes) -> None:
    """Build RWKV 7: a matrix per head that decays, forgets along its keys, and takes in."""
    file.describe(sizes, 3)
    file.keys.add_layer_norm_eps(1e-5)
    file.keys.add_head_count(0)
    file.keys.add_wkv_head_size(HEAD_SIZE)
    file.keys.add_decay_lora_rank(RANK)
    file.keys.add_iclr_lora_rank(RANK)
    file.keys.add_value_residual_mix_lora_rank(RANK)
    file.keys.add_gate_lora_rank(RANK)
    file.keys.add_token_shift_count(2)
    file.embeddings(sizes)
    file.spread("output_norm.bias", (sizes.n_embd,), -0.1, 0.1)
    _layer_norm(file, "token_embd_norm", sizes.n_embd)
    for i in range(3):
        _layer_norm(file, f"blk.{i}.attn_norm", sizes.n_embd)
        _time_mix(file, f"blk.{i}.time_mix", sizes.n_embd)
        _layer_norm(file, f"blk.{i}.attn_norm_2", sizes.n_embd)
        _channel_mix(file, f"blk.{i}.channel_mix", sizes)


def _mamba(
    file: ModelFile,
    sizes: Sizes,
    scan: Scan,
    add_scan: Callable[[ModelFile, str, Sizes, Scan], None],
) -> None:
    file.describe(sizes, 4)
    file.keys.add_head_count(0)
    scan.describe(file)
    file.embeddings(sizes)
    for i in range(4):
        file.norm(f"blk.{i}.attn_norm", sizes.n_embd)
        add_scan(file, f"blk.{i}", sizes, scan)


def _layer_norm(file: ModelFile, name: str, n: int) -> None:
    file.norm(name, n)
    file.spread(f"{name}.bias", (n,), -0.1, 0.1)


def _time_mix(file: ModelFile, mix: str, n: int) -> None:
    for gate, low, high in (("w", -5.0, -3.0), ("a", -2.0, 0.0), ("v", -1.0, 1.0)):
        file.spread(f"{mix}_{gate}0.weight", (n,), low, high)
    for gate in ("w", "a", "v", "g"):
        file.matrix(f"{mix}_{gate}1", RANK, n, 0.3)
        file.matrix(f"{mix}_{gate}2", n, RANK)
    file.spread(f"{mix}_lerp_fused.weight", (6, 1, 1, n), 0.0, 1.0)
    file.spread(f"{mix}_k_k.weight", (n,), 0.5, 1.0)
    file.spread(f"{mix}_k_a.weight", (n,), 0.5, 1.0)
    file.spread(f"{mix}_r_k.weight", (n,), -0.1, 0.1)
    for projection in ("key", "value", "receptance"):
        file.matrix(f"{mix}_{projection}", n, n)
    _layer_norm(file, f"{mix}_ln", n)
    file.matrix(f"{mix}_output", n, n, LOUD)


def _channel_mix(file: ModelFile, mix: str, sizes: Sizes) -> None:
    file.spread(f"{mix}_lerp_k.weight", (1, 1, sizes.n_embd), 0.0, 1.0)
    file.matrix(f"{mix}_key", sizes.n_ff, sizes.n_embd)
    file.matrix(f"{mix}_value", sizes.n_embd, sizes.n_ff, 0.5)
