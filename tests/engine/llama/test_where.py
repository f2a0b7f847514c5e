"""Where llama.cpp is told to compute: read from what it is handed, for machines without a GPU."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from engine.limits import MAX_DRAFT_TOKENS
from engine.llama.context import USUAL_ROWS, Context
from engine.llama.model import Model
from engine.process.environment import environment
from tests import tiny


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tiny.write("llama", tmp_path / "tiny.gguf"))


def handed(name: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what this function's parameters will have been."""
    honest, seen = getattr(llama_cpp, name), []

    def listening(first: Any, params: Any) -> Any:
        seen.append(params)
        return honest(first, params)

    monkeypatch.setattr(llama_cpp, name, listening)
    return seen


@pytest.mark.parametrize(("gpu_layers", "devices"), [(0, []), (3, None), (None, None)])
def test_no_layers_on_a_gpu_means_no_gpu_and_else_llama_cpp_chooses(
    gpu_layers: int | None, devices: list[int] | None, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = handed("llama_model_load_from_file", monkeypatch)
    Model(path, gpu_layers).free()
    address = seen[0].devices
    assert (address is None) == (devices is None)
    if devices is not None:
        assert ctypes.c_void_p.from_address(address).value is None, "the list is empty"


@pytest.mark.parametrize(
    ("most_rows", "may_leave"), [(USUAL_ROWS, True), (1 + MAX_DRAFT_TOKENS, False)]
)
def test_a_draft_is_never_so_wide_that_a_gpu_takes_over_the_processors_layers(
    most_rows: int, may_leave: bool, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = handed("llama_init_from_model", monkeypatch)
    model = Model(path)
    Context(model, 256, 1, most_rows=most_rows).free()
    model.free()
    assert seen[0].op_offload == may_leave
    widest = int(environment()["GGML_OP_OFFLOAD_MIN_BATCH"]) - 1
    assert most_rows <= widest or not may_leave
