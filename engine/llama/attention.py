"""How a context keeps keys and values, and how llama.cpp attends to them.

Batch-invariant attention: a row comes out the same in batches of every width. llamafile's kernels
sum one row otherwise than several, and so do those of flash attention over keys and values of one
unquantised type, from 512 cells on. Flash attention over f16 keys and bf16 values, or over
quantised ones, works row by row whatever the width.
"""

from __future__ import annotations

from typing import Any

import llama_cpp

from engine.llama.devices import CPU, has_llamafile

CACHE_TYPES = {"f16": llama_cpp.GGML_TYPE_F16, "q8_0": llama_cpp.GGML_TYPE_Q8_0}
BF16 = 30
"""ggml's number of that type; the bindings have no name for it."""


def attend(params: Any, cache_type: str, device: str, batch_invariant: bool) -> None:
    """Write it into llama.cpp's parameters of a context. batch_invariant: on the CPU alone."""
    params.type_k = params.type_v = CACHE_TYPES[cache_type]
    params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
    if device != CPU or cache_type != "f16":
        return
    if batch_invariant and has_llamafile():
        params.type_v = BF16
    else:
        # Row by row, at depth 600, 5 rows of a 20M model took 6.7 ms, and 1.8 without it.
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
