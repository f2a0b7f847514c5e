"""What llama.cpp refuses for want of memory is told from what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import llama_cpp
import pytest

from engine.errors import ModelFileError, NoRoom
from engine.llama import log, model
from engine.llama.context import Context
from engine.llama.model import Model
from engine.llama.refusal import refusal
from tests import tiny

CUDA = "alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory"
FULL = (
    CUDA,
    "ggml_vulkan: Device memory allocation of size 42 failed.",
    "ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
    "ggml_metal_buffer_init: error: failed to allocate buffer, size = 42.00 MiB",
    "llama_model_load: error loading model: unable to allocate CPU buffer",
    "ggml_aligned_malloc: insufficient memory (attempted to allocate 42.00 MB)",
)
AT_FAULT = (
    "gguf_init_from_file: encountered bad_alloc error while reading key 3",
    "llama_model_load: error loading model: unknown model architecture: 'x'",
    "tensor 'output.weight' data is not within the file bounds",
    "",
)


@pytest.mark.parametrize("why", FULL)
def test_what_is_refused_for_want_of_memory_has_room_made_for_it(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.heard, "complaint", why)
    found = refusal("load it", "Make room.", "Mend it.")
    assert isinstance(found, NoRoom)
    assert str(found) == f"llama.cpp cannot load it: {why}. Make room."


@pytest.mark.parametrize("why", AT_FAULT)
def test_what_is_refused_for_what_it_is_is_no_matter_of_room(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.heard, "complaint", why)
    found = refusal("load it", "Make room.", "Mend it.")
    assert type(found) is ModelFileError and found.hint == "Mend it."


def fail(*_: object) -> None:
    """Refuse a model or a context as a GPU that is full does."""
    log.heard.complaint = CUDA


@pytest.mark.parametrize(("device", "hint"), [("CUDA0", "--gpu-layers"), ("CPU", "other programs")])
def test_a_model_that_there_is_no_room_for_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, hint: str
) -> None:
    path = str(tiny.write("llama", tmp_path / "m.gguf"))
    monkeypatch.setattr(model, "device_name", lambda _: device)
    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", fail)
    with pytest.raises(NoRoom, match="out of memory") as refused:
        Model(path)
    assert hint in refused.value.hint


@pytest.mark.parametrize("device", ["CUDA0", "CPU"])
def test_a_context_that_there_is_no_room_for_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    loaded = Model(str(tiny.write("llama", tmp_path / "m.gguf")))
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", fail)
    try:
        with pytest.raises(NoRoom, match="a context of 512 tokens") as refused:
            Context(loaded, 512, 1, device=device)
    finally:
        loaded.free()
    assert "--ctx-size" in refused.value.hint and "q8_0" in refused.value.hint
    assert ("--gpu-layers" in refused.value.hint) is (device != "CPU")
