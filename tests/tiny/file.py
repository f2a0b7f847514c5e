"""A GGUF file in the making: metadata, and tensors drawn at random by their names.

A tensor depends on the seed and on its own name only, never on what was drawn before it, and a
taller matrix begins with the rows of a lower one.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from numpy.typing import NDArray

Tensor = NDArray[np.float32]

LOGIT_STD = 3.0
SILENT = 0.01  # what is left of the output rows of tokens that should not be said


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the builders of all architectures share. n_named: tokens that spell text."""

    n_vocab: int
    n_named: int
    n_ctx: int
    n_embd: int = 64
    n_ff: int = 96
    n_head: int = 4
    n_head_kv: int = 2
    head_dim: int = 16


class ModelFile:
    """Collects tensors under llama.cpp's names; `keys` takes the metadata. See `write`."""

    def __init__(
        self,
        arch: str,
        seed: int,
        noise: float,
        noise_seed: int,
        weight_type: GGMLQuantizationType,
    ) -> None:
        self.keys = GGUFWriter(None, arch)
        self._seed = seed
        self._noise = noise
        self._noise_seed = noise_seed
        self._weight_type = weight_type

    def describe(self, sizes: Sizes, n_layer: int) -> None:
        """Add what every architecture's metadata has."""
        self.keys.add_context_length(sizes.n_ctx)
        self.keys.add_embedding_length(sizes.n_embd)
        self.keys.add_block_count(n_layer)
        self.keys.add_vocab_size(sizes.n_vocab)
        self.keys.add_feed_forward_length(sizes.n_ff)
        self.keys.add_layer_norm_rms_eps(1e-5)

    def embeddings(self, sizes: Sizes, std: float = 1.0, norm: str = "output_norm") -> None:
        """Add the tables at both ends of the model, and the norm before the last."""
        shape = (sizes.n_vocab, sizes.n_embd)
        self._put_matrix("token_embd", std * self._normal("token_embd.weight", *shape))
        output = LOGIT_STD / sizes.n_embd**0.5 * self._normal("output.weight", *shape)
        output[sizes.n_named :] *= SILENT
        self._put_matrix("output", output)
        self.norm(norm, sizes.n_embd)

    def matrix(self, name: str, n_out: int, n_in: int, gain: float = 1.0) -> None:
        """Add a matrix that turns inputs of unit variance into outputs of std `gain`."""
        self._put_matrix(name, gain / n_in**0.5 * self._normal(f"{name}.weight", n_out, n_in))

    def norm(self, name: str, n: int, scale: float = 1.0) -> None:
        """Add a norm's weights, about `scale`."""
        self.spread(f"{name}.weight", (n,), 0.8 * scale, 1.2 * scale)

    def spread(self, name: str, shape: tuple[int, ...], low: float, high: float) -> None:
        """Add a tensor with its full name, uniform over low to high; the last axis is innermost."""
        draws = self._rng(self._seed, name).uniform(low, high, shape)
        self._put(name, draws.astype(np.float32), GGMLQuantizationType.F32)

    def save(self, path: Path) -> Path:
        """Write all to `path`, and return that. Call once."""
        self.keys.write_header_to_file(path)
        self.keys.write_kv_data_to_file()
        self.keys.write_tensors_to_file()
        self.keys.close()
        return path

    def _put_matrix(self, name: str, values: Tensor) -> None:
        block, _ = GGML_QUANT_SIZES[self._weight_type]
        fits = values.shape[-1] % block == 0
        self._put(f"{name}.weight", values, self._weight_type if fits else GGMLQuantizationType.F32)

    def _put(self, name: str, values: Tensor, kind: GGMLQuantizationType) -> None:
        if self._noise:
            draws = self._rng(self._noise_seed, f"noise of {name}").standard_normal(values.shape)
            values = (values * (1 + self._noise * draws)).astype(np.float32)
        self.keys.add_tensor(name, quantize(values, kind), raw_dtype=kind)

    def _normal(self, name: str, *shape: int) -> Tensor:
        return self._rng(self._seed, name).standard_normal(shape, dtype=np.float32)

    @staticmethod
    def _rng(seed: int, name: str) -> np.random.Generator:
        return np.random.default_rng([seed, zlib.crc32(name.encode())])
