"""One sequence's KV cache over a model: decode, logits rows, drop a suffix. Checks every return
code.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp.llama_cpp import _lib as libllama

from engine.arrays import Logits
from engine.errors import DecodeError, RollbackRefused
from engine.llama import log
from engine.llama.attention import attend
from engine.llama.devices import CPU
from engine.llama.lines import in_lines
from engine.llama.model import Model
from engine.llama.refusal import refusal

SMALLER = "Try a smaller --ctx-size"
FULL = f"{SMALLER} or --cache-type q8_0."
GPU_FULL = f"{SMALLER}, --cache-type q8_0, or fewer --gpu-layers."
OTHER_TYPE = "Try --cache-type f16, for a draft model --cache-type-draft f16."
CELLS = 256
BATCH_TOKENS = 512
"""Some projectors want all of a picture in one batch."""
SETTLES_ON_GPU = 2
"""CUDA records what is computed a second time, and from the third on replays that, in three
quarters of the time or less."""
USUAL_ROWS = 33
"""Most rows of logits that measurements, probes and drafts of no fixed length ask for."""
TWO_DIMENSIONAL = (llama_cpp.LLAMA_ROPE_TYPE_MROPE, llama_cpp.LLAMA_ROPE_TYPE_IMROPE)
PARTIAL = llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY

_get_logits = libllama["llama_get_logits"]
"""The address of the rows, as a number: the bindings' own makes a pointer object each time."""
_get_logits.restype, _get_logits.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)


class Context:
    """A `Decoder` over llama.cpp. Call `free` before the model's.

    n_ctx: positions in the cache; cache_type: as attention.py knows them; device: what computes;
    snapshots: how many tokens a recurrent state shall go back, granted only to some models;
    n_batch: most tokens of a batch, BATCH_TOKENS if None; most_rows: of logits, of one forward;
    batch_invariant: whether attention shall be (attention.py).
    slides: whether layers with a window keep little more than that, so that not every drop is
    granted; but always one to anywhere in the last batch, its first token included.
    Raises ModelFileError if llama.cpp cannot make the context; most often NoRoom.
    """

    def __init__(
        self,
        model: Model,
        n_ctx: int,
        threads: int,
        cache_type: str = "f16",
        device: str = CPU,
        snapshots: int = 0,
        n_batch: int | None = None,
        most_rows: int = USUAL_ROWS,
        batch_invariant: bool = False,
    ) -> None:
        params = _params(n_ctx, threads, snapshots)
        attend(params, cache_type, device, batch_invariant)
        params.n_batch = params.n_ubatch = n_batch or BATCH_TOKENS
        params.n_outputs_max = in_lines(most_rows, model.is_recurrent)
        params.op_offload = most_rows <= USUAL_ROWS  # else a draft would be computed elsewhere
        self._window: int = llama_cpp.llama_model_n_swa(model.handle)
        self._lap = _padded(self._window + params.n_ubatch)
        self.slides = self._window > 0 and self._lap < _padded(n_ctx) and _may_slide(model)
        params.swa_full = not self.slides
        log.forget()
        self.handle = llama_cpp.llama_init_from_model(model.handle, params)
        if not self.handle:
            raise refusal(
                f"make a context of {n_ctx} tokens for {model.path}",
                FULL if device == CPU else GPU_FULL,
                _hint(log.first_complaint()),
            )
        n_cells: int = llama_cpp.llama_n_ctx(self.handle)  # may be more than was asked for
        self.n_ctx = min(n_ctx, n_cells)
        self.n_batch: int = llama_cpp.llama_n_batch(self.handle)
        self.n_vocab = model.n_vocab
        self.n_snapshots: int = llama_cpp.llama_n_rs_seq(self.handle)
        self.settles = 1 if device == CPU else SETTLES_ON_GPU
        self.decode_s = 0.0
        self._most_rows = most_rows
        self._held = self._head = 0  # positions; and the cell of the lap that is written next
        self._memory = llama_cpp.llama_get_memory(self.handle)
        self._batch = llama_cpp.llama_batch_init(self.n_batch, 0, 1)
        shape = (self.n_batch,)
        self._token = np.ctypeslib.as_array(self._batch.token, shape)
        self._pos = np.ctypeslib.as_array(self._batch.pos, shape)
        self._wants_logits = np.ctypeslib.as_array(self._batch.logits, shape)
        self._n_wanting = 0  # tokens at the batch's beginning that are known to want logits
        self._positions = np.arange(n_cells, dtype=np.int32)
        self._address = 0
        self._views: dict[int, Logits] = {}  # of the rows at this address, by their number
        self._no_rows: Logits = np.empty((0, self.n_vocab), dtype=np.float32)
        for i in range(self.n_batch):
            self._batch.n_seq_id[i] = 1
            self._batch.seq_id[i][0] = 0

    def free(self) -> None:
        """Release the cache and the buffers. Safe to call twice."""
        if self.handle:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self.handle)
            self.handle = None

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        """Evaluate `tokens` at positions start, start + 1, … in one batch.

        Returns [n_rows, vocab] float32, the scores after the last n_rows tokens: a view that the
        next decode overwrites. More rows than were announced are a copy, made of several batches.
        Raises DecodeError.
        """
        n = len(tokens)
        if n_rows > self._most_rows:
            return self._decode_in_parts(tokens, start, n_rows)
        if n == 1:
            self._token[0], self._pos[0] = tokens[0], start
        else:
            self._token[:n] = tokens
            self._pos[:n] = self._positions[start : start + n]
        self._want(n, n_rows)
        self._batch.n_tokens = n
        log.heard.complaint = ""  # forget(), without a call
        begin = time.perf_counter()
        code = llama_cpp.llama_decode(self.handle, self._batch)
        if code != 0:
            self._fail(code, n, start)
        address = 0
        if n_rows:
            address = _get_logits(self.handle)  # waits for the device
        else:
            llama_cpp.llama_synchronize(self.handle)
        self.decode_s += time.perf_counter() - begin
        return self._view(address, n_rows) if n_rows else self._no_rows

    def _decode_in_parts(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        first = len(tokens) - n_rows
        if first:
            self.decode(tokens[:first], start, 0)
        parts = []
        for at in range(first, len(tokens), self._most_rows):
            part = tokens[at : at + self._most_rows]
            parts.append(self.decode(part, start + at, len(part)).copy())
        return np.concatenate(parts)

    def _want(self, n: int, n_rows: int) -> None:
        """Ask for the rows of the last n_rows of n tokens. Most often for all, as before."""
        if n_rows == n <= self._n_wanting:
            return
        self._wants_logits[: n - n_rows] = 0
        self._wants_logits[n - n_rows : n] = 1
        self._n_wanting = n if n_rows == n else 0

    def clear(self) -> None:
        """Forget everything, the numbers too: a NaN in a cell that is masked out spoils a row."""
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held = self._head = 0

    def drop(self, start: int) -> None:
        """Forget every position from `start` on. Raises RollbackRefused and leaves all as it was.

        Forgetting everything (start 0) is never refused.
        """
        began = time.perf_counter()
        if start == 0:
            llama_cpp.llama_memory_clear(self._memory, False)
            self._held = self._head = 0
            done = True
        elif self.slides:
            done = self._slide_back(start)
        else:
            done = llama_cpp.llama_memory_seq_rm(self._memory, 0, start, -1)
        self.decode_s += time.perf_counter() - began
        if not done:
            raise RollbackRefused(f"This model's cache cannot drop positions from {start} on.")

    @property
    def lap_left(self) -> int:
        """Tokens until the cells that a window slides over begin anew.

        What is dropped within one lap leaves no trace. Across its end it leaves cells free there,
        so that later tokens lie, and are summed up, in another order than without it.
        """
        self._follow()
        return self._lap - self._head or self._lap

    def _follow(self) -> None:
        """Count in what was evaluated since; pictures are, elsewhere."""
        held = llama_cpp.llama_memory_seq_pos_max(self._memory, 0) + 1
        if held > self._held:
            self._head = (self._head + held - self._held - 1) % self._lap + 1
            self._held = held

    def _slide_back(self, start: int) -> bool:
        """Drop if the window of the token at `start` is still kept; llama.cpp does not ask.

        It keeps positions without gaps, and a batch takes the places of what is out of its first
        token's window alone: to go back to there, or less far, is always granted.
        """
        self._follow()
        first: int = llama_cpp.llama_memory_seq_pos_min(self._memory, 0)
        if not 0 <= first <= max(0, start - self._window + 1):
            return False
        llama_cpp.llama_memory_seq_rm(self._memory, 0, start, -1)
        self._head = max(0, self._head - (self._held - start))
        self._held = start
        return True

    def save(self) -> bytearray:
        """Return the state that `drop` cannot take back: recurrent states, the latest window.

        Of a cache that keeps everything by position it is the whole.
        """
        began = time.perf_counter()
        size = llama_cpp.llama_state_seq_get_size_ext(self.handle, 0, PARTIAL)
        saved = bytearray(size)
        data = (ctypes.c_uint8 * size).from_buffer(saved)
        written = llama_cpp.llama_state_seq_get_data_ext(self.handle, data, size, 0, PARTIAL)
        self.decode_s += time.perf_counter() - began
        if written != size:
            raise DecodeError(f"llama.cpp saved {written} of {size} bytes of its state.")
        return saved

    def restore(self, saved: bytearray, n: int) -> None:
        """Come back to the n positions that were held when `saved` was.

        The state first, then the positions behind it: a recurrent part refuses the other order.
        Raises DecodeError.
        """
        began = time.perf_counter()
        data = (ctypes.c_uint8 * len(saved)).from_buffer(saved)
        read = llama_cpp.llama_state_seq_set_data_ext(self.handle, data, len(saved), 0, PARTIAL)
        kept = llama_cpp.llama_memory_seq_rm(self._memory, 0, n, -1)
        self._held, self._head = n, min(n, self._window)
        self.decode_s += time.perf_counter() - began
        if read != len(saved) or not kept:
            raise DecodeError(f"llama.cpp does not take back its state of {n} tokens.")

    def _view(self, address: int, n_rows: int) -> Logits:
        """Return llama.cpp's buffer as an array; making one costs more than keeping it."""
        if address != self._address:
            self._address = address
            self._views.clear()
        view = self._views.get(n_rows)
        if view is None:
            rows = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
            view = self._views[n_rows] = np.ctypeslib.as_array(rows, (n_rows, self.n_vocab))
        return view

    def _fail(self, code: int, n: int, start: int) -> None:
        why = {1: "no room in the KV cache", 2: "aborted", -1: "invalid batch"}.get(
            code, log.first_complaint()
        )
        raise DecodeError(
            f"llama.cpp failed to decode {n} tokens at position {start} (code {code}): {why}."
        )


def _params(n_ctx: int, threads: int, snapshots: int) -> Any:
    """Return llama.cpp's parameters of a context, but for how it attends."""
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = n_ctx
    params.n_threads = params.n_threads_batch = threads
    params.n_rs_seq = snapshots
    params.no_perf = True
    return params


def _hint(complaint: str) -> str:
    """Return what to do about a context that is refused though there may be memory for it."""
    is_of_type = "cache type" in complaint or "V cache" in complaint
    return OTHER_TYPE if is_of_type else f"{SMALLER}."


def _padded(n_cells: int) -> int:
    """Return how many cells llama.cpp makes of n."""
    return -(-n_cells // CELLS) * CELLS


def _may_slide(model: Model) -> bool:
    """Whether windows can keep little more than they see.

    Not beside recurrent layers, which hide what a window keeps, and not where a picture's cells
    share positions: windows are counted in positions, and what is kept in cells.
    """
    is_flat = llama_cpp.llama_model_rope_type(model.handle) not in TWO_DIMENSIONAL
    return is_flat and not model.is_recurrent
