"""The functions of ggml's that the bindings do not declare."""

from __future__ import annotations

import ctypes

from llama_cpp._ggml import libggml


def function(name: str, result: type | None, *arguments: type) -> ctypes._NamedFuncPointer:
    """Return the function of this name, which takes and returns these types."""
    found = libggml[name]
    found.restype, found.argtypes = result, arguments
    return found  # type: ignore[no-any-return]
