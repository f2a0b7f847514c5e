"""The state behind a prompt, which a chat comes back to: its answer is asked for again, or the next
prompt has another text in the place of the answer. For memories that take no single tokens back.
"""

from __future__ import annotations

import contextlib

from engine.errors import DecodeError, RollbackRefused
from engine.types import Decoder


class PromptState:
    """What a decoder's memory held behind a prompt; nothing until it is kept."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._n: int | None = None
        self._saved = bytearray()

    def keep(self, n: int) -> None:
        """Save the state behind n tokens, unless it is saved or cannot be."""
        if n == self._n:
            return
        self.forget()
        if n == 0:
            return
        with contextlib.suppress(DecodeError, MemoryError):
            self._saved, self._n = self._decoder.save(), n

    def forget(self) -> None:
        """Free the state."""
        self._n, self._saved = None, bytearray()

    def back(self, n: int) -> int:
        """Put the state back; return how many tokens it is behind. Raises RollbackRefused where
        there is none at n tokens or before.
        """
        if self._n is None or self._n > n:
            raise RollbackRefused(f"No state was saved at token {n} or before it.")
        self._decoder.restore(self._saved, self._n)
        return self._n

    def is_nearer(self, n: int, other: int) -> bool:
        """Whether there is a state at n tokens or before, and behind `other` tokens."""
        return self._n is not None and other < self._n <= n

    def went(self, n: int) -> None:
        """The cache went back to n tokens: a state behind more is none of it any more."""
        if self._n is not None and n < self._n:
            self.forget()
