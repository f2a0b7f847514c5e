"""How llama.cpp attends: row by row, where batches of every width shall give the same rows."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import llama_cpp
import numpy as np
import pytest

from engine.llama import attention
from engine.llama.attention import BF16, attend
from engine.llama.context import BATCH_TOKENS, Context
from engine.llama.ggml import function
from engine.llama.model import Model
from engine.loading.models import probe_tokens
from tests.pair import TARGET

F16, Q8_0 = llama_cpp.GGML_TYPE_F16, llama_cpp.GGML_TYPE_Q8_0
OFF, AUTO = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED, llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
WIDTHS = (2, 3, 5, 8, 17, 32)
DEPTHS = (100, 600)
"""Below and above the 512 cells from which flash attention may split one row."""


def test_the_number_of_bf16_is_ggmls() -> None:
    assert function("ggml_type_name", ctypes.c_char_p, ctypes.c_int)(BF16) == b"bf16"


@pytest.mark.parametrize(
    ("cache_type", "device", "batch_invariant", "has_llamafile", "expected"),
    [
        ("f16", "CPU", False, True, (F16, F16, OFF)),
        ("f16", "CPU", True, True, (F16, BF16, AUTO)),
        ("f16", "CPU", True, False, (F16, F16, OFF)),
        ("q8_0", "CPU", False, True, (Q8_0, Q8_0, AUTO)),
        ("q8_0", "CPU", True, True, (Q8_0, Q8_0, AUTO)),
        ("f16", "CUDA0", True, True, (F16, F16, AUTO)),
    ],
)
def test_kernels_that_sum_by_the_width_are_left_where_none_shall(
    cache_type: str,
    device: str,
    batch_invariant: bool,
    has_llamafile: bool,
    expected: tuple[int, int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attention, "has_llamafile", lambda: has_llamafile)
    params = SimpleNamespace()
    attend(params, cache_type, device, batch_invariant)
    assert (params.type_k, params.type_v, params.flash_attn_type) == expected


@pytest.mark.parametrize("cache_type", ["f16", "q8_0"])
def test_rows_of_a_quantised_model_are_the_same_in_batches_of_every_width(cache_type: str) -> None:
    model = Model(str(TARGET), gpu_layers=0, use_extra_bufts=False)
    context = Context(model, 1024, 2, cache_type, batch_invariant=True)
    tokens = probe_tokens(model, max(DEPTHS) + max(WIDTHS))
    for depth in DEPTHS:
        context.drop(0)
        for start in range(0, depth, BATCH_TOKENS):
            context.decode(tokens[start : min(depth, start + BATCH_TOKENS)], start, 0)
        text = tokens[depth : depth + max(WIDTHS)]
        alone = [context.decode([token], depth + i, 1)[0].copy() for i, token in enumerate(text)]
        for width in WIDTHS:
            context.drop(depth)
            rows = context.decode(text[:width], depth, width)
            assert np.array_equal(rows, np.array(alone[:width])), (depth, width)
    context.free()
    model.free()
