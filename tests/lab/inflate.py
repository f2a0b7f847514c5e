"""A Llama model at the cost of a larger one, its function unchanged.

Contract: the inflated model's scores of real tokens are the source's but for rounding; no padded
token can be drawn.

How: the real Q8_0 blocks are copied as they are into larger matrices. What reads the residual
stream (q, k, v, gate, up) gets extra rows of noise, so that extra heads, units and layers cost what
real ones do; what writes to it (attn_output, ffn_down) has zeros there, so nothing comes of them.
With d of D channels real, RMSNorm scales them by sqrt(D/d) too much; its weights take sqrt(d/D).

One channel beyond the real ones holds a constant c, the same for every token, as no matrix writes
to it and no layer reads it. Every norm's mean square is larger by c²/D for it, so eps is c²/D
smaller: (eps - c²/d) · d/D. The last norm passes it on, and in the output matrix only the rows of
padded tokens read it, as a large negative score. It lies in a quantisation block of its own, so an
inflated model is wider than its source by a block at least.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType as Quantization
from gguf import GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType, TokenType
from numpy.typing import NDArray

from tests.lab.scales import SIZE_KEYS, Size

SEED = 2
BLOCK_VALUES = 32
BLOCK = np.dtype([("scale", "<f2"), ("values", "i1", (BLOCK_VALUES,))])  # ggml's block_q8_0
FULL = 127

NOISE_SCALE = 2.0**-12  # of a block: matrices with an rms of 0.018
CONSTANT_SCALE = 2.0**-12  # c = 127/4096; its square must stay below d · eps
PASSED_ON = 32.0  # the constant after the last norm, times the rms of what was normed
BAR_SCALE = -32.0  # padded tokens score -127 · 32 · 32 / rms: some thousands below zero
FACTS = (NOISE_SCALE, CONSTANT_SCALE, PASSED_ON, BAR_SCALE)
"""What a file follows from, beside its source and its size."""

READERS = ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up")
GIVEN_BY_WRITER = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture")
HEAD_KEYS = ("attention.key_length", "attention.value_length", "rope.dimension_count")
"""Follow from width and heads where a file does not say, so an inflated one has to."""

Array = NDArray[Any]
"""A norm's float32 weights, or a Q8_0 matrix: [rows, columns / 32] of BLOCK."""


@dataclass(frozen=True, slots=True)
class Source:
    """A Llama model to inflate: all its matrices at Q8_0."""

    reader: GGUFReader
    size: Size
    head_dim: int
    norm_eps: float
    tensors: dict[str, Array]

    @classmethod
    def read(cls, path: Path) -> Source:
        """Raises AssertionError for a model of another architecture or quantisation."""
        reader = GGUFReader(path)

        def number(key: str) -> Any:
            return reader.fields[f"llama.{key}"].contents()

        kind = reader.fields["general.architecture"].contents()
        assert kind == "llama", f"{path} is a {kind} model, and only a Llama can be inflated"
        size = Size(*(number(key) for key in SIZE_KEYS))
        says = "llama.attention.key_length" in reader.fields
        head_dim = number("attention.key_length") if says else size.width // size.heads
        tensors = {}
        for tensor in reader.tensors:
            is_norm = tensor.name.endswith("norm.weight")
            stored = tensor.tensor_type
            expected = Quantization.F32 if is_norm else Quantization.Q8_0
            assert stored == expected, f"{path}: {tensor.name} is {stored.name}"
            tensors[tensor.name] = tensor.data if is_norm else tensor.data.view(BLOCK)
        known = dict(_shapes(size, head_dim))
        assert tensors.keys() <= known.keys(), f"{path}: {tensors.keys() - known.keys()}"
        norm_eps = number("attention.layer_norm_rms_epsilon")
        return cls(reader, size, head_dim, norm_eps, tensors)


def forgetful(model: Source) -> Source:
    """Return the model with noise in every matrix, block for block as loud as it was."""
    rng = np.random.default_rng(SEED)
    tensors = {name: values.copy() for name, values in model.tensors.items()}
    for values in tensors.values():
        if values.dtype == BLOCK:
            values["values"] = _noise(rng, values.shape)
    return replace(model, tensors=tensors)


def blurred(model: Source, blur: float) -> Source:
    """Return the model with noise added to every matrix: `blur` of its standard deviation."""
    rng = np.random.default_rng(SEED)
    tensors = {name: values.copy() for name, values in model.tensors.items()}
    for values in tensors.values():
        if values.dtype == BLOCK:
            scale = values["scale"].astype(np.float32)[..., None]
            weights = scale * values["values"]
            weights += rng.normal(0.0, blur * weights.std(), weights.shape).astype(np.float32)
            rounded = np.rint(weights / np.maximum(scale, np.finfo(np.float32).tiny))
            values["values"] = np.clip(rounded, -FULL, FULL)
    return replace(model, tensors=tensors)


def _noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(-FULL, FULL + 1, (*shape, BLOCK_VALUES), dtype=np.int8)


def _shapes(size: Size, head_dim: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each tensor's name and shape: [rows, columns], a norm's [columns]."""
    stream, hidden = size.width, size.feed_forward
    q, kv = size.heads * head_dim, size.kv_heads * head_dim
    in_layer = {
        "attn_norm": (stream,),
        "attn_q": (q, stream),
        "attn_k": (kv, stream),
        "attn_v": (kv, stream),
        "attn_output": (stream, q),
        "ffn_norm": (stream,),
        "ffn_gate": (hidden, stream),
        "ffn_up": (hidden, stream),
        "ffn_down": (stream, hidden),
    }
    yield "token_embd.weight", (size.vocab, stream)
    for layer in range(size.layers):
        for name, shape in in_layer.items():
            yield f"blk.{layer}.{name}.weight", shape
    yield "output_norm.weight", (stream,)
    yield "output.weight", (size.vocab, stream)


def inflate(path: Path, name: str, model: Source, size: Size) -> None:
    """Write the inflated model, one tensor in memory at a time."""
    writer = GGUFWriter(path, "llama")
    _write_metadata(writer, name, model, size)
    shapes = dict(_shapes(size, model.head_dim))
    for tensor, shape in shapes.items():
        if len(shape) == 1:
            writer.add_tensor_info(tensor, shape, np.dtype(np.float32), 4 * shape[0])
        else:
            row_bytes = shape[1] // BLOCK_VALUES * BLOCK.itemsize
            stored, n_bytes = (shape[0], row_bytes), shape[0] * row_bytes
            kind = Quantization.Q8_0
            writer.add_tensor_info(tensor, stored, np.dtype(np.uint8), n_bytes, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    rng = np.random.default_rng(SEED)
    for tensor, shape in shapes.items():
        writer.write_tensor_data(_tensor(tensor, shape, model, rng))
    writer.close()


def _write_metadata(writer: GGUFWriter, name: str, model: Source, size: Size) -> None:
    unused = range(model.size.vocab, size.vocab)
    tokens = model.reader.fields["tokenizer.ggml.tokens"].contents()
    kinds = model.reader.fields["tokenizer.ggml.token_type"].contents()
    eps = model.norm_eps - (FULL * CONSTANT_SCALE) ** 2 / model.size.width
    assert eps > 0, "the constant channel is too loud"
    changed = {
        "general.name": name,
        **{f"llama.{key}": value for key, value in zip(SIZE_KEYS, astuple(size), strict=True)},
        "llama.attention.layer_norm_rms_epsilon": eps * model.size.width / size.width,
        "tokenizer.ggml.tokens": [*tokens, *(f"<|unused_{i}|>" for i in unused)],
        "tokenizer.ggml.token_type": [*kinds, *(TokenType.UNUSED for _ in unused)],
    }
    for key in (f"llama.{key}" for key in HEAD_KEYS):
        if key not in model.reader.fields:
            writer.add_uint32(key, model.head_dim)
    for key, field in model.reader.fields.items():
        if key not in GIVEN_BY_WRITER:
            value = changed.get(key, field.contents())
            items = field.types[1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(key, value, field.types[0], sub_type=items)


def _tensor(name: str, shape: tuple[int, ...], model: Source, rng: np.random.Generator) -> Array:
    """Return the inflated tensor, in the bytes of the file."""
    if len(shape) == 1:
        return _norm(name, shape[0], model)
    n_real, n_tokens = model.size.width, model.size.vocab
    blocks = np.zeros((shape[0], shape[1] // BLOCK_VALUES), BLOCK)
    if name.split(".")[-2] in READERS:
        blocks["scale"], blocks["values"] = NOISE_SCALE, _noise(rng, blocks.shape)
    real = model.tensors.get(name)
    if real is None and name == "output.weight":
        real = model.tensors["token_embd.weight"]
    if real is not None:
        blocks[: len(real)] = np.zeros((), BLOCK)
        blocks[: len(real), : real.shape[1]] = real
    if name == "token_embd.weight":
        _set_constant(blocks, n_real, CONSTANT_SCALE)
    elif name == "output.weight":
        _set_constant(blocks[n_tokens:], n_real, BAR_SCALE)
    return blocks.view(np.uint8)


def _norm(name: str, width: int, model: Source) -> Array:
    """Return a norm's weights; those of an added layer are ones."""
    n_real = model.size.width
    factor = math.sqrt(n_real / width)
    weights = np.zeros(width, np.float32)
    weights[:n_real] = model.tensors.get(name, np.ones(n_real, np.float32)) * factor
    if name == "output_norm.weight":
        weights[n_real] = factor * PASSED_ON / (FULL * CONSTANT_SCALE)
    return weights


def _set_constant(rows: Array, channel: int, scale: float) -> None:
    """Give the rows 127 · scale in the constant's channel, the first of its block."""
    block = rows[:, channel // BLOCK_VALUES]
    block["scale"] = abs(scale)
    block["values"][:, 0] = math.copysign(FULL, scale)


def quantise(source: Path, quantised: Path, kind: LlamaFileType) -> None:
    """Write the model in another kind of weights, by llama.cpp's own quantiser."""
    import llama_cpp

    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = kind
    params.allow_requantize = True  # from Q8_0, which is what the embedded weights are
    code = llama_cpp.llama_model_quantize(
        str(source).encode(), str(quantised).encode(), ctypes.byref(params)
    )
    if code != 0:
        raise RuntimeError(f"llama.cpp could not quantise {source} (code {code}).")
