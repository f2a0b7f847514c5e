"""What llama.cpp was built for, and what it computes on."""

from __future__ import annotations

import ctypes
import platform
import sys
from dataclasses import dataclass
from typing import Literal

import llama_cpp

from engine.llama.ggml import function

CPU = "CPU"
AMX = "AMX"
LLAMAFILE = "LLAMAFILE = 1"
"""In llama.cpp's line on itself: it has llamafile's kernels, which multiply batches."""
PROCESSOR = 0
GPU = 1
INTEGRATED_GPU = 2
KINDS: dict[int, Literal["cpu", "gpu", "integrated"]] = {
    PROCESSOR: "cpu",
    GPU: "gpu",
    INTEGRATED_GPU: "integrated",
}


@dataclass(frozen=True, slots=True)
class Device:
    """A device as llama.cpp sees it; total_bytes and free_bytes are 0 where its driver is silent.

    kind: "integrated" shares main memory. packing: the layouts that its kernels rearrange weights
    into at load, e.g. ["AMX", "CPU_REPACK"].
    """

    name: str
    description: str
    kind: Literal["cpu", "gpu", "integrated"]
    total_bytes: int
    free_bytes: int
    packing: list[str]


def list_devices() -> list[Device]:
    """Return the devices that could compute. May take seconds: it starts the GPUs' drivers."""
    llama_cpp.llama_backend_init()
    device_at = function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    kind_of = function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    count = function("ggml_backend_dev_count", ctypes.c_size_t)()
    handles = [device_at(i) for i in range(count)]
    return [_device(handle, kind_of(handle)) for handle in handles if kind_of(handle) in KINDS]


def system_info() -> str:
    """Return llama.cpp's line on its backends and the instruction sets it was built with."""
    return str(llama_cpp.llama_print_system_info().decode("utf-8", "replace")).strip()


def build() -> str:
    """Return which llama.cpp this is."""
    return f"llama-cpp-python {llama_cpp.__version__}: {system_info()}"


def device_name(gpu_layers: int | None) -> str:
    """Return what computes, e.g. "CUDA0": the first GPU that layers may go to, else "CPU"."""
    gpu = None if gpu_layers == 0 else _gpu()
    return CPU if gpu is None else _text("ggml_backend_dev_name", gpu)


def device_description(gpu_layers: int | None) -> str:
    """Return what that is, e.g. "NVIDIA H200", or the processor's name."""
    device = None if gpu_layers == 0 else _gpu()
    if device is None:
        device = _first(PROCESSOR)
    return "" if device is None else _text("ggml_backend_dev_description", device)


def _gpu() -> int | None:
    """Return the GPU that layers go to: an integrated one only where there is no other."""
    own = _first(GPU)
    return _first(INTEGRATED_GPU) if own is None else own


def _first(kind: int) -> int | None:
    """Return the first device of a kind."""
    device_at = function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    kind_of = function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    for i in range(function("ggml_backend_dev_count", ctypes.c_size_t)()):
        device: int = device_at(i)
        if kind_of(device) == kind:
            return device
    return None


def rearranges_weights(gpu_layers: int | None) -> bool:
    """Whether a load copies the weights into tiles of the processor's (AMX).

    A file mapped into memory would then be held beside them: 2.3 GB in place of 1.3 for a 1.1B
    model at Q8_0, and no quicker to load. GPUs are not looked at: to ask one for its memory takes
    some of it.
    """
    if device_name(gpu_layers) != CPU:
        return False
    processor = _first(PROCESSOR)
    return processor is not None and AMX in _packing(processor)


def has_llamafile() -> bool:
    """Whether this build has llamafile's kernels. They multiply what is not quantised, as keys and
    values are not, and sum batches of two rows and more in another order than one row.
    """
    return LLAMAFILE in system_info()


def _device(handle: int, kind: int) -> Device:
    size = ctypes.POINTER(ctypes.c_size_t)
    memory = function("ggml_backend_dev_memory", None, ctypes.c_void_p, size, size)
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    memory(handle, ctypes.byref(free), ctypes.byref(total))
    is_apple = sys.platform == "darwin" and platform.machine() == "arm64"
    return Device(
        _text("ggml_backend_dev_name", handle),
        _text("ggml_backend_dev_description", handle),
        KINDS[INTEGRATED_GPU if kind == GPU and is_apple else kind],  # Metal says GPU there
        total.value,
        free.value,
        _packing(handle),
    )


def _packing(handle: int) -> list[str]:
    """Return the names of the device's extra buffer types, which its registry has a getter for."""
    registry = function("ggml_backend_dev_backend_reg", ctypes.c_void_p, ctypes.c_void_p)(handle)
    address_of = function(
        "ggml_backend_reg_get_proc_address", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p
    )
    address = address_of(registry, b"ggml_backend_dev_get_extra_bufts")
    if not address:
        return []
    getter = ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)(address)
    names = []
    for buffer_type in getter(handle):  # ends with a null
        if not buffer_type:
            break
        names.append(_text("ggml_backend_buft_name", buffer_type))
    return names


def _text(name: str, handle: int) -> str:
    """Return what a function of one handle says."""
    found = function(name, ctypes.c_char_p, ctypes.c_void_p)(handle)
    return str(found.decode("utf-8", "replace"))
