"""What is computed with lies in whole cache lines, for every kind of model (lines.py)."""

from __future__ import annotations

import ctypes
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from llama_cpp.llama_cpp import ggml_backend_sched_eval_callback

from engine.llama import context as contexts
from engine.llama import ggml
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.lines import ROWS_IN_A_LINE, in_lines
from engine.llama.model import Model
from engine.loading.models import TEXT_BATCH
from tests import tiny

LINE = 64

_data = ggml.function("ggml_get_data", ctypes.c_void_p, ctypes.c_void_p)


@pytest.mark.parametrize("most_rows", [1, 17, USUAL_ROWS])
@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_what_is_computed_with_lies_in_whole_cache_lines(
    arch: str, most_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: Counter[int] = Counter()

    def look(tensor: int, is_asking: bool, _: object) -> bool:
        places[_data(tensor) % LINE] += is_asking
        return False

    callback, params = ggml_backend_sched_eval_callback(look), contexts._params

    def with_look(*args: Any) -> Any:
        made = params(*args)
        made.cb_eval = callback
        return made

    monkeypatch.setattr(contexts, "_params", with_look)
    model = Model(str(tiny.write(arch, tmp_path / "model.gguf", seed=1)))
    context = Context(model, 512, 1, n_batch=TEXT_BATCH, most_rows=most_rows)
    context.decode([1, 2, 3, 4, 5], 0, 1)
    context.free()
    model.free()
    in_line = places.pop(0)
    assert in_line > 9 * places.total(), places  # views of a convolution's states lie anywhere


@pytest.mark.parametrize("is_recurrent", [False, True])
def test_no_more_rows_are_reserved_than_fill_a_line(is_recurrent: bool) -> None:
    assert all(n <= in_lines(n, is_recurrent) < n + ROWS_IN_A_LINE for n in range(1, 200))
