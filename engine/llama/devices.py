"""What llama.cpp was built for, and what it computes on."""

from __future__ import annotations

import ctypes

import llama_cpp
from llama_cpp._ggml import libggml

CPU = "CPU"
GPU, INTEGRATED_GPU = 1, 2


def system_info() -> str:
    """Return llama.cpp's line on its backends and the instruction sets it was built with."""
    return str(llama_cpp.llama_print_system_info().decode("utf-8", "replace")).strip()


def device_name(gpu_layers: int | None) -> str:
    """Return what computes, e.g. "CUDA0": the first GPU that layers may go to, else "CPU"."""
    if gpu_layers == 0:
        return CPU
    device_at = _function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    kind_of = _function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    name_of = _function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
    for i in range(_function("ggml_backend_dev_count", ctypes.c_size_t)()):
        device = device_at(i)
        if kind_of(device) in (GPU, INTEGRATED_GPU):
            return str(name_of(device).decode("utf-8", "replace"))
    return CPU


def _function(name: str, result: type, *arguments: type) -> ctypes._NamedFuncPointer:
    """Return a function of ggml's, which the bindings do not declare."""
    function = libggml[name]
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]
