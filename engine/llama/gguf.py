"""A look at a GGUF file's header: whether all is there that it tells of, and what it says.

Of a file that was cut short mtmd would make do, with whatever the memory held; for one without
layers llama.cpp ends the process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import ModelFileError
from engine.llama.ggml import function
from engine.llama.model import check_file

NUMBER, TEXT = 4, 8
"""GGUF's types of an unsigned number of 32 bits, and of a string."""
MOST_LAYERS = 512
"""Of a model, as llama.cpp has it."""
OF_KEY = (ctypes.c_void_p, ctypes.c_int64)
"""What functions about a value take: the header, and where it is."""


class _Params(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("context", ctypes.c_void_p))


def check_whole(path: str) -> None:
    """Raise ModelFileError if the file is missing, no GGUF, or cut short."""
    check_file(path)
    with _header(path) as header:
        wanted, found = _end(header), Path(path).stat().st_size
    if found < wanted:
        raise ModelFileError(f"{path} is cut short: {found} of {wanted} bytes.", "Fetch it again.")


def check_layers(path: str) -> None:
    """Raise ModelFileError if the file is missing, or tells of more or fewer layers than can be.

    Of a header that cannot be read llama.cpp itself says why.
    """
    check_file(path)
    n = None
    with suppress(ModelFileError), _header(path) as header:
        n = _number(header, f"{_text(header, 'general.architecture')}.block_count")
    if n is not None and not 0 < n <= MOST_LAYERS:
        raise ModelFileError(
            f"{path} is damaged: it tells of {n} layers, and a model has 1 to {MOST_LAYERS}.",
            "Fetch it again.",
        )


def text_of(path: str, key: str) -> str:
    """Return the text under this key, "" if there is none. Raises ModelFileError."""
    with _header(path) as header:
        return _text(header, key)


def _text(header: int, key: str) -> str:
    at = _place(header, key, TEXT)
    if at is None:
        return ""
    text: bytes = function("gguf_get_val_str", ctypes.c_char_p, *OF_KEY)(header, at)
    return text.decode("utf-8", "replace")


def _number(header: int, key: str) -> int | None:
    at = _place(header, key, NUMBER)
    if at is None:
        return None
    return int(function("gguf_get_val_u32", ctypes.c_uint32, *OF_KEY)(header, at))


def _place(header: int, key: str, kind: int) -> int | None:
    """Return where a value of this type is, None if there is none under the key."""
    find = function("gguf_find_key", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p)
    at: int = find(header, key.encode())
    if at < 0 or function("gguf_get_kv_type", ctypes.c_int, *OF_KEY)(header, at) != kind:
        return None
    return at


@contextmanager
def _header(path: str) -> Iterator[int]:
    """Read the header for as long as the block lasts. Raises ModelFileError."""
    header = function("gguf_init_from_file", ctypes.c_void_p, ctypes.c_char_p, _Params)(
        path.encode(), _Params(True, None)
    )
    if not header:
        raise ModelFileError(f"{path} is damaged: its header cannot be read.", "Fetch it again.")
    try:
        yield header
    finally:
        function("gguf_free", None, ctypes.c_void_p)(header)


def _end(header: int) -> int:
    """Return where the last tensor ends."""
    of_file, of_tensor = (ctypes.c_void_p,), (ctypes.c_void_p, ctypes.c_int64)
    n = function("gguf_get_n_tensors", ctypes.c_int64, *of_file)(header)
    offset = function("gguf_get_tensor_offset", ctypes.c_size_t, *of_tensor)
    size = function("gguf_get_tensor_size", ctypes.c_size_t, *of_tensor)
    start = function("gguf_get_data_offset", ctypes.c_size_t, *of_file)(header)
    return int(start + max((offset(header, i) + size(header, i) for i in range(n)), default=0))
