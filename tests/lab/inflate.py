"""The lab pair: the embedded pair at the cost of a larger model, its function unchanged.

    python -m tests.lab.inflate [--folder F] [--scale 1b|7b|small]

Contract: the inflated target's scores of real tokens are the embedded target's but for rounding; no
padded token can be drawn; a file appears whole or not at all, and a second call makes nothing.

How: the real Q8_0 blocks are copied as they are into larger matrices. What reads the residual
stream (q, k, v, gate, up) gets extra rows of noise, so that extra heads, units and layers cost what
real ones do; what writes to it (attn_output, ffn_down) has zeros there, so nothing comes of them.
With d of D channels real, RMSNorm scales them by sqrt(D/d) too much; its weights take sqrt(d/D).

One channel beyond the real ones holds a constant c, the same for every token, as no matrix writes
to it and no layer reads it. Every norm's mean square is larger by c²/D for it, so eps is c²/D
smaller: (eps - c²/d) · d/D. The last norm passes it on, and in the output matrix only the rows of
padded tokens read it, as a large negative score. It lies in a quantisation block of its own.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import math
import tempfile
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType as Quantization
from gguf import GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType, TokenType
from numpy.typing import NDArray
from platformdirs import user_cache_path

from tests.lab.scales import BLURRED, SCALES, SIZE_KEYS, Size
from tests.pair import DRAFT, TARGET

RECIPE = 2  # raise it when the files come out differently

BLOCK_VALUES = 32
BLOCK = np.dtype([("scale", "<f2"), ("values", "i1", (BLOCK_VALUES,))])  # ggml's block_q8_0
FULL = 127

NOISE_SCALE = 2.0**-12  # of a block: matrices with an rms of 0.018
CONSTANT_SCALE = 2.0**-12  # c = 127/4096; its square must stay below d · eps
PASSED_ON = 32.0  # the constant after the last norm, times the rms of what was normed
BAR_SCALE = -32.0  # padded tokens score -127 · 32 · 32 / rms: some thousands below zero

BLUR = 0.3  # noise in the blurred draft's matrices, of their own standard deviation

READERS = ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up")
GIVEN_BY_WRITER = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture")

Array = NDArray[Any]
"""A norm's float32 weights, or a Q8_0 matrix: [rows, columns / 32] of BLOCK."""

QUANTS = ("q8_0", "q4_k_m")


@dataclass(frozen=True, slots=True)
class LabPair:
    """The files; draft_random: the draft with noise for weights, which guesses nothing;
    draft_blurred: with noise added to them, so that it is wrong as often as real ones are, and at
    the cost of a real one, a twelfth of the target's weights.
    """

    target_q8_0: Path
    target_q4_k_m: Path
    draft: Path
    draft_random: Path
    draft_blurred: Path

    def target(self, quant: str) -> Path:
        """Return the target of one of QUANTS."""
        return {"q8_0": self.target_q8_0, "q4_k_m": self.target_q4_k_m}[quant]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A model to inflate."""

    reader: GGUFReader
    size: Size
    head_dim: int
    norm_eps: float
    tensors: dict[str, Array]


def lab_pair(folder: Path | None = None, scale: str = "1b") -> LabPair:
    """Return the lab pair of a scale, making it if it is not in `folder` (the user's cache)."""
    size = SCALES[scale]
    blurred = BLURRED[scale]
    home = (folder or user_cache_path("slipstream") / "lab") / f"{scale}-{_key(size, blurred)}"
    names = ("target-q8_0", "target-q4_k_m", "draft", "draft-random", "draft-blurred")
    made = LabPair(*(home / f"lab-{name}.gguf" for name in names))
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent, prefix=f"{scale}-making-") as scratch:
            fresh = [Path(scratch) / "pair" / path.name for path in astuple(made)]
            fresh[0].parent.mkdir()
            _make(LabPair(*fresh), size, blurred)
            if not home.is_dir():  # another run was not first
                fresh[0].parent.rename(home)
    return made


def _key(size: Size, blurred: Size) -> str:
    facts = (RECIPE, size, blurred, NOISE_SCALE, CONSTANT_SCALE, PASSED_ON, BAR_SCALE, BLUR)
    digest = hashlib.sha256(repr(facts).encode())
    for path in (TARGET, DRAFT):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _make(files: LabPair, size: Size, blurred: Size) -> None:
    target, draft = _read(TARGET), _read(DRAFT)
    wider = replace(draft.size, width=draft.size.width + BLOCK_VALUES, vocab=size.vocab)
    _write(files.target_q8_0, "Slipstream lab target", target, size)
    _write(files.draft, "Slipstream lab draft", draft, wider)
    _write(files.draft_random, "Slipstream lab random draft", _forgetful(draft), wider)
    _write(files.draft_blurred, "Slipstream lab blurred draft", _blurred(draft), blurred)
    quantise(files.target_q8_0, files.target_q4_k_m, LlamaFileType.MOSTLY_Q4_K_M)


def _read(path: Path) -> Embedded:
    reader = GGUFReader(path)

    def number(key: str) -> Any:
        return reader.fields[f"llama.{key}"].contents()

    size = Size(*(number(key) for key in SIZE_KEYS))
    norm_eps, head_dim = number("attention.layer_norm_rms_epsilon"), number("attention.key_length")
    tensors = {}
    for tensor in reader.tensors:
        is_norm = tensor.name.endswith("norm.weight")
        expected = Quantization.F32 if is_norm else Quantization.Q8_0
        assert tensor.tensor_type == expected, f"{path}: {tensor.name} is {tensor.tensor_type.name}"
        tensors[tensor.name] = tensor.data if is_norm else tensor.data.view(BLOCK)
    return Embedded(reader, size, head_dim, norm_eps, tensors)


def _forgetful(model: Embedded) -> Embedded:
    """Return the model with noise in every matrix, block for block as loud as it was."""
    rng = np.random.default_rng(RECIPE)
    tensors = {name: values.copy() for name, values in model.tensors.items()}
    for values in tensors.values():
        if values.dtype == BLOCK:
            values["values"] = _noise(rng, values.shape)
    return replace(model, tensors=tensors)


def _blurred(model: Embedded) -> Embedded:
    """Return the model with noise added to every matrix."""
    rng = np.random.default_rng(RECIPE)
    tensors = {name: values.copy() for name, values in model.tensors.items()}
    for values in tensors.values():
        if values.dtype == BLOCK:
            scale = values["scale"].astype(np.float32)[..., None]
            weights = scale * values["values"]
            weights += rng.normal(0.0, BLUR * weights.std(), weights.shape).astype(np.float32)
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


def _write(path: Path, name: str, model: Embedded, size: Size) -> None:
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
    rng = np.random.default_rng(RECIPE)
    for tensor, shape in shapes.items():
        writer.write_tensor_data(_tensor(tensor, shape, model, rng))
    writer.close()


def _write_metadata(writer: GGUFWriter, name: str, model: Embedded, size: Size) -> None:
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
    for key, field in model.reader.fields.items():
        if key not in GIVEN_BY_WRITER:
            value = changed.get(key, field.contents())
            items = field.types[1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(key, value, field.types[0], sub_type=items)


def _tensor(name: str, shape: tuple[int, ...], model: Embedded, rng: np.random.Generator) -> Array:
    """Return the inflated tensor, in the bytes of the file."""
    if len(shape) == 1:
        return _norm(name, shape[0], model)
    n_real, n_tokens = model.size.width, model.size.vocab
    blocks = np.zeros((shape[0], shape[1] // BLOCK_VALUES), BLOCK)
    if name.split(".")[-2] in READERS:
        blocks["scale"], blocks["values"] = NOISE_SCALE, _noise(rng, blocks.shape)
    real = model.tensors.get("token_embd.weight" if name == "output.weight" else name)
    if real is not None:
        blocks[: len(real)] = np.zeros((), BLOCK)
        blocks[: len(real), : real.shape[1]] = real
    if name == "token_embd.weight":
        _set_constant(blocks, n_real, CONSTANT_SCALE)
    elif name == "output.weight":
        _set_constant(blocks[n_tokens:], n_real, BAR_SCALE)
    return blocks.view(np.uint8)


def _norm(name: str, width: int, model: Embedded) -> Array:
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


def main() -> None:
    """Make the pair that the command line names, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep it here, not in the user's cache")
    parser.add_argument("--scale", choices=sorted(SCALES), default="1b")
    chosen = parser.parse_args()
    for path in astuple(lab_pair(chosen.folder, chosen.scale)):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
