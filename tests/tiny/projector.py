"""Tiny random projectors, and pictures to look at, written by the tests that need them.

Contract: `write_projector` gives a file that llama.cpp's mtmd loads and encodes with on a CPU, for
a target whose embeddings are `width` wide. Equal arguments give equal bytes; what comes out is
about as large as a tiny model's embeddings, and depends on the picture.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType

from engine.messages import Picture
from tests.tiny.file import ModelFile

EMBED, HEADS, LAYERS, FEED, PATCH = 32, 2, 2, 64, 14
IMAGE = {"mlp": 4 * PATCH, "gemma3": 8 * PATCH, "idefics3": 4 * PATCH, "qwen2vl_merger": 8 * PATCH}
"""The side of the square that a picture is brought to; Qwen's take any size."""
MERGED = {"mlp": 1, "gemma3": 4, "idefics3": 2, "qwen2vl_merger": 2}
"""Patches that become one cell, along a side."""
KINDS = tuple(IMAGE)


def write_projector(
    kind: str, path: Path, width: int, *, seed: int = 0, has_vision: bool = True, says: str = ""
) -> Path:
    """Write a projector of `kind` (one of KINDS) to `path`, and return that.

    has_vision: whether it says that it is for pictures; says: the kind that it says it is of.
    """
    file = ModelFile("clip", seed, 0.0, 1, GGMLQuantizationType.F32)
    _describe(file, kind, width, has_vision)
    file.keys.add_string("clip.projector_type", says or kind)
    _encoder(file, kind)
    PROJECTIONS[kind](file, width)
    return file.save(path)


def picture(path: Path, width: int = 64, height: int = 64, seed: int = 0) -> Picture:
    """Write a PNG of coarse coloured noise to `path`, and return what names it."""
    cells = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    rows = np.arange(height) * 8 // height
    columns = np.arange(width) * 8 // width
    path.write_bytes(png(cells[rows][:, columns]))
    return Picture(path=str(path), id=hashlib.sha256(path.read_bytes()).hexdigest())


def png(pixels: np.ndarray) -> bytes:
    """Return the PNG of [height, width, 3] bytes."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    )


def _describe(file: ModelFile, kind: str, width: int, has_vision: bool) -> None:
    keys = file.keys
    keys.add_bool("clip.has_vision_encoder", has_vision)
    keys.add_bool("clip.use_gelu", True)
    for name, number in {
        "embedding_length": EMBED,
        "attention.head_count": HEADS,
        "feed_forward_length": FEED,
        "block_count": LAYERS,
        "projection_dim": width,
        "image_size": IMAGE[kind],
        "patch_size": PATCH,
        "projector.scale_factor": MERGED[kind],
        "spatial_merge_size": MERGED[kind],
    }.items():
        keys.add_uint32(f"clip.vision.{name}", number)
    keys.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    keys.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    keys.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])


def _encoder(file: ModelFile, kind: str) -> None:
    span = (3.0 / PATCH**2) ** 0.5
    shape = (EMBED, 3, PATCH, PATCH)
    file.spread("v.patch_embd.weight", shape, -span, span)
    if kind == "qwen2vl_merger":  # one for each of two frames, and positions are rotated
        file.spread("v.patch_embd.weight.1", shape, -span, span)
    else:
        n_patches = (IMAGE[kind] // PATCH) ** 2
        file.spread("v.position_embd.weight", (n_patches, EMBED), -1.0, 1.0)
    for i in range(LAYERS):
        block = f"v.blk.{i}"
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            linear(file, f"{block}.{name}", EMBED, EMBED)
        linear(file, f"{block}.ffn_up", FEED, EMBED)
        linear(file, f"{block}.ffn_down", EMBED, FEED)
        for name in ("ln1", "ln2"):
            norm(file, f"{block}.{name}")
    norm(file, "v.post_ln")


def linear(file: ModelFile, name: str, n_out: int, n_in: int, gain: float = 1.0) -> None:
    file.matrix(name, n_out, n_in, gain)
    file.spread(f"{name}.bias", (n_out,), -0.1, 0.1)


def norm(file: ModelFile, name: str) -> None:
    file.norm(name, EMBED)
    file.spread(f"{name}.bias", (EMBED,), -0.1, 0.1)


def _mlp(file: ModelFile, width: int) -> None:
    linear(file, "mm.0", width, EMBED)
    linear(file, "mm.2", width, width, 2.0)


def _gemma3(file: ModelFile, width: int) -> None:
    file.norm("mm.soft_emb_norm", EMBED)
    file.matrix("mm.input_projection", EMBED, width, (width / EMBED) ** 0.5)


def _idefics3(file: ModelFile, width: int) -> None:
    file.matrix("mm.model.fc", width, EMBED * MERGED["idefics3"] ** 2)


def _qwen2vl(file: ModelFile, width: int) -> None:
    merged = EMBED * MERGED["qwen2vl_merger"] ** 2
    linear(file, "mm.0", merged, merged)
    linear(file, "mm.2", width, merged, 2.0)


PROJECTIONS: dict[str, Callable[[ModelFile, int], None]] = {
    "mlp": _mlp,
    "gemma3": _gemma3,
    "idefics3": _idefics3,
    "qwen2vl_merger": _qwen2vl,
}
