"""The header of a GGUF file: its keys, and how many weights it has.

Of lists only the lengths are read where they are long: gguf's own reader makes an object per token
and takes five seconds over a vocabulary of 150 000, this a fiftieth of one.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC, VERSIONS = b"GGUF", (2, 3)
TEXT, LIST = 8, 9
SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIifBQqd", strict=True))
MOST_DIMENSIONS = 4
"""Of a tensor, as ggml has it."""
MOST_KEPT = 4096
"""Numbers of a list that are kept: lists with one per layer are shorter, those of tokens longer."""
MOST_ENTRIES, MOST_TEXTS = 2**16, 2**22
"""Keys and tensors of a file, and texts of a list: beyond any model's, and read in a second."""
MOST_READ = 2**26
"""Bytes of all keys, texts and names: more than a whole tokenizer's JSON has. A small file with
holes in it can claim any length.
"""
EMBEDDING, OUTPUT = "token_embd.weight", "output.weight"
ALIGNMENT = 32
"""Of the weights behind the header, where the file does not say."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """kind: how its numbers are stored, by ggml's number for it; offset: among the weights."""

    n_weights: int
    kind: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """keys: numbers, texts, short lists of numbers as tuples, and of other lists the lengths.

    tied: the embedding table that is the output too, None where the output has a table of its own.
    fewest_bytes: a file that has no more is cut off, for its last tensor begins there.
    """

    keys: dict[str, Any]
    n_weights: int
    tied: Tensor | None = None
    fewest_bytes: int = 0


def read_header(path: Path) -> Header:
    """Read it. Raises ValueError if that is no whole GGUF header, and OSError."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # opening a pipe may take ever
            raise ValueError("it is no regular file")
        if path.is_file() and not path.stat().st_size:
            raise ValueError("the file is empty")  # which mmap would say in its own words
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (struct.error, IndexError, OverflowError):  # a cut one, or numbers that are none
        raise ValueError("the header is cut off") from None


class _Reader:
    """Reads from the beginning on. Raises ValueError or struct.error."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._at, self._n_read = data, 0, 0

    def header(self) -> Header:
        if self._data[: len(MAGIC)] != MAGIC:
            raise ValueError("no GGUF")
        self._at = len(MAGIC)
        version, n_tensors, n_keys = self._take("I"), self._take("Q"), self._take("Q")
        if version not in VERSIONS:
            raise ValueError(f"GGUF of version {version}")
        if max(n_tensors, n_keys) > MOST_ENTRIES:
            raise ValueError(f"{n_keys} keys and {n_tensors} tensors")
        keys: dict[str, Any] = {}
        for _ in range(n_keys):
            key = self._text()
            if key in keys:
                raise ValueError(f"the key {key!r} twice")
            keys[key] = self._value(self._take("I"))
        ends, n_weights, last = dict[str, Tensor](), 0, 0
        for _ in range(n_tensors):
            name, tensor = self._tensor()
            n_weights, last = n_weights + tensor.n_weights, max(last, tensor.offset)
            if name in (EMBEDDING, OUTPUT):
                ends[name] = tensor
        if self._at > len(self._data):
            raise ValueError("the header is cut off")
        tied = None if OUTPUT in ends else ends.get(EMBEDDING)
        return Header(keys, n_weights, tied, self._begin(keys) + last if n_weights else 0)

    def _begin(self, keys: dict[str, Any]) -> int:
        """Return where the weights begin: behind the header that was read."""
        said = keys.get("general.alignment")
        alignment = said if isinstance(said, int) and said > 0 else ALIGNMENT
        return -(-self._at // alignment) * alignment

    def _tensor(self) -> tuple[str, Tensor]:
        """Read a tensor's entry: name, shape, kind and offset."""
        name = self._text()
        n_dimensions = self._take("I")
        if n_dimensions > MOST_DIMENSIONS:
            raise ValueError(f"a tensor of {n_dimensions} dimensions")
        shape = [self._take("Q") for _ in range(n_dimensions)]
        kind, offset = self._take("I"), self._take("Q")
        return name, Tensor(math.prod(shape), kind, offset)

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text()
        if kind != LIST:
            return self._take(self._code(kind))
        items, n = self._take("I"), self._take("Q")
        if items == TEXT:
            if n > MOST_TEXTS:
                raise ValueError(f"a list of {n} texts")
            self._skip_texts(n)
            return n
        code = self._code(items)
        begin, self._at = self._at, self._at + n * struct.calcsize(f"<{code}")
        return struct.unpack_from(f"<{n}{code}", self._data, begin) if n <= MOST_KEPT else n

    def _skip_texts(self, n: int) -> None:
        length_at, data, at = struct.Struct("<Q").unpack_from, self._data, self._at
        for _ in range(n):
            at += 8 + length_at(data, at)[0]
        self._at = at

    def _text(self) -> str:
        length = self._take("Q")
        self._n_read += length
        if self._n_read > MOST_READ:
            raise ValueError(f"{self._n_read} bytes of text")
        begin, self._at = self._at, self._at + length
        return self._data[begin : self._at].decode("utf-8", "replace")

    def _take(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self._data, self._at)
        self._at += struct.calcsize(f"<{code}")
        return value

    @staticmethod
    def _code(kind: int) -> str:
        if kind not in SCALARS:
            raise ValueError(f"a value of kind {kind}")
        return SCALARS[kind]
