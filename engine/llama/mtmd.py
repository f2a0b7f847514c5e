"""A projector: picture files to tiles, tiles to embeddings, and these into a context's cache.

Over mtmd, llama.cpp's library for pictures, which some builds lack: importing this module then
fails. So it is imported only where a projector is asked for.
"""

from __future__ import annotations

import ctypes

import llama_cpp
import numpy as np
import numpy.typing as npt
from llama_cpp import mtmd_cpp as mtmd

from engine.errors import DecodeError, ModelFileError, PictureError
from engine.llama import log
from engine.llama.context import Context
from engine.llama.gguf import check_whole, text_of
from engine.llama.model import Model
from engine.prompt.exif import UPRIGHT, orientation_of, upright

Embeddings = npt.NDArray[np.float32]
NO_CALLBACK = mtmd.mtmd_helper_post_decode_callback()
OWN = "Give the projector (mmproj) that was published with this model."
KIND = ("clip.projector_type", "clip.vision.projector_type")
UNSUPPORTED = ("deepseek4v", "hunyuanvl")
"""These cut a picture by where it stands in the prompt, and here it is cut once for every place."""
PREFIX = "mtmd_init_from_file: error: "
BLANK_SIZE = 2048
"""Pixels a side: large enough to be cut into as much as any picture is."""
MOST_CELLS = 1024
"""What a tile may take, half a context at most: some kinds make four times as many of a photo, for
which they want minutes and gigabytes.
"""
LEAST_CELLS = 256
"""Allowed however small the context is: with fewer, some kinds do not open."""


class Tile:
    """An image chunk of mtmd's: its outline, which decoding needs, and its pixels."""

    def __init__(self, projector: Projector, chunk: int) -> None:
        self.n_positions = int(mtmd.mtmd_input_chunk_get_n_pos(chunk))
        self.n_cells = int(mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        self._projector = projector
        self._outline = mtmd.mtmd_input_chunk_get_placeholder(chunk)
        self._pixels = mtmd.mtmd_input_chunk_copy(chunk)

    def __del__(self) -> None:
        self.forget()
        mtmd.mtmd_input_chunk_free(self._outline)

    def forget(self) -> None:
        """Release the pixels. Safe to call twice."""
        if self._pixels:
            mtmd.mtmd_input_chunk_free(self._pixels)
            self._pixels = None

    def encode(self) -> Embeddings:
        """Return the embeddings: [n_cells, width] float32. Raises DecodeError."""
        handle = self._projector.handle
        log.forget()
        if mtmd.mtmd_encode_chunk(handle, self._pixels) != 0:
            raise DecodeError(f"llama.cpp failed to encode a picture: {log.first_complaint()}.")
        shape = (self.n_cells, self._projector.width)
        return np.ctypeslib.as_array(mtmd.mtmd_get_output_embd(handle), shape).copy()

    def decode(self, embeddings: Embeddings, start: int) -> None:
        """Evaluate it at positions start… of the context's cache. Raises DecodeError."""
        context, after = self._projector.context, llama_cpp.llama_pos(0)
        rows = embeddings.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        log.forget()
        code = mtmd.mtmd_helper_decode_image_chunk(
            self._projector.handle,
            context.handle,
            self._outline,
            rows,
            start,
            0,
            context.n_batch,
            ctypes.byref(after),
            NO_CALLBACK,
            ctypes.c_void_p(0),
        )
        if code != 0 or after.value != start + self.n_positions:
            raise DecodeError(
                f"llama.cpp failed to decode a picture at position {start} (code {code}): "
                f"{log.first_complaint()}."
            )


class Projector:
    """A loaded projector over a model and its context. Call `free` before theirs.

    use_gpu: whether it computes where the model's layers do.
    Raises ModelFileError if it is missing, broken, or another model's.
    """

    def __init__(
        self, path: str, model: Model, context: Context, threads: int, use_gpu: bool
    ) -> None:
        check_whole(path)
        kind = next(filter(None, (text_of(path, key) for key in KIND)), "")
        if kind in UNSUPPORTED:
            raise ModelFileError(
                f"The projector {path} is of a kind that is not supported: {kind}."
            )
        mtmd.mtmd_helper_log_set(log.callback, ctypes.c_void_p(0))
        self.context, n_ctx = context, context.n_ctx
        self.width: int = llama_cpp.llama_model_n_embd_inp(model.handle)
        params = mtmd.mtmd_context_params_default()
        params.n_threads, params.use_gpu = threads, use_gpu
        params.print_timings = False
        self.handle: int | None = _opened(path, model, params)
        try:
            largest, most = self._largest(path), min(MOST_CELLS, max(LEAST_CELLS, n_ctx // 2))
            if self._needs_one_batch():
                most = min(most, context.n_batch)
            if largest > most:
                self.free()
                params.image_max_tokens = most
                self.handle = _opened(path, model, params)
                if self._largest(path) > context.n_batch and self._needs_one_batch():
                    raise ModelFileError(f"The projector {path} makes too much of a picture.", OWN)
        except BaseException:
            self.free()
            raise

    def free(self) -> None:
        """Release the weights. Safe to call twice."""
        if self.handle:
            mtmd.mtmd_free(self.handle)
            self.handle = None

    def cut(self, data: bytes) -> list[Tile | list[int]]:
        """Return the tiles and text tokens of a picture file. Raises PictureError."""
        buffer = ctypes.cast(ctypes.c_char_p(data), ctypes.POINTER(ctypes.c_uint8))
        log.forget()
        read = mtmd.mtmd_helper_bitmap_init_from_buf_wrapper(
            self.handle, buffer, len(data), False, mtmd.mtmd_helper_init_opt_default()
        )
        try:
            if not read.bitmap or read.video_ctx:  # some builds take a broken one for a video
                hint = "PNG, JPEG, BMP and GIF can be."
                raise PictureError("is no picture that can be read.", hint)
            if mtmd.mtmd_bitmap_is_audio(read.bitmap):
                raise PictureError("is sound, not a picture.", "Only pictures can be attached.")
            read.bitmap = _turned(read.bitmap, orientation_of(data))
            return self._parts(read.bitmap)
        finally:
            mtmd.mtmd_bitmap_free(read.bitmap)
            if read.video_ctx:
                mtmd.mtmd_helper_video_free(read.video_ctx)

    def _needs_one_batch(self) -> bool:
        """Whether each tile must see all of itself."""
        return bool(mtmd.mtmd_decode_use_non_causal(self.handle, None))

    def _largest(self, path: str) -> int:
        """Try it on a blank picture; return the cells of its largest tile.

        Raises ModelFileError if it cannot show pictures to this model.
        """
        if not mtmd.mtmd_support_vision(self.handle):
            raise ModelFileError(f"The projector {path} is not for pictures.", OWN)
        blank = mtmd.mtmd_bitmap_init(BLANK_SIZE, BLANK_SIZE, None)
        try:
            parts = self._parts(blank)
        except PictureError as error:
            raise ModelFileError(f"With the projector {path} a picture {error}", OWN) from None
        finally:
            mtmd.mtmd_bitmap_free(blank)
        if any(token < 0 for part in parts if isinstance(part, list) for token in part):
            raise ModelFileError(f"The projector {path} wants tokens that this model lacks.", OWN)
        return max(part.n_cells for part in parts if isinstance(part, Tile))

    def _parts(self, bitmap: int) -> list[Tile | list[int]]:
        """Have mtmd cut a bitmap and put the model's own tokens around it."""
        marker = mtmd.mtmd_default_marker()
        text = mtmd.mtmd_input_text(marker, len(marker), False, True)
        bitmaps = (mtmd.mtmd_bitmap_p_ctypes * 1)(bitmap)
        chunks = mtmd.mtmd_input_chunks_init()
        try:
            if mtmd.mtmd_tokenize(self.handle, chunks, ctypes.byref(text), bitmaps, 1) != 0:
                raise PictureError(f"cannot be cut to size ({log.first_complaint()}).")
            n = mtmd.mtmd_input_chunks_size(chunks)
            return [self._part(mtmd.mtmd_input_chunks_get(chunks, i)) for i in range(n)]
        finally:
            mtmd.mtmd_input_chunks_free(chunks)

    def _part(self, chunk: int) -> Tile | list[int]:
        if mtmd.mtmd_input_chunk_get_type(chunk) != mtmd.MTMD_INPUT_CHUNK_TYPE_TEXT:
            return Tile(self, chunk)
        n = ctypes.c_size_t()
        tokens = mtmd.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(n))
        return list(tokens[: n.value])


def _opened(path: str, model: Model, params: mtmd.mtmd_context_params) -> int:
    log.forget()
    handle: int | None = mtmd.mtmd_init_from_file(path.encode(), model.handle, params)
    if not handle:
        reason = " ".join(log.first_complaint().split()).removeprefix(PREFIX)
        raise ModelFileError(f"llama.cpp cannot use the projector {path}: {reason}.", OWN)
    return handle


def _turned(bitmap: int, orientation: int) -> int:
    """Return a bitmap that is upright: this one, or one in its place."""
    if orientation == UPRIGHT:
        return bitmap
    shape = (mtmd.mtmd_bitmap_get_ny(bitmap), mtmd.mtmd_bitmap_get_nx(bitmap), 3)
    stored = np.ctypeslib.as_array(mtmd.mtmd_bitmap_get_data(bitmap), shape)
    pixels = upright(stored, orientation).copy()
    mtmd.mtmd_bitmap_free(bitmap)
    height, width, _ = pixels.shape
    data = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
    turned: int = mtmd.mtmd_bitmap_init(width, height, data)
    return turned
