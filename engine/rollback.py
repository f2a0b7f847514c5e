"""How tokens leave a cache again: one way for every kind of memory that llama.cpp has.

    drop        attention caches, full or sliding: the positions are forgotten
    snapshots   recurrent and hybrid models that keep the states behind each token of the last batch
    replay      all others: the state is saved before guessing; it is put back and the tokens
                that stay are evaluated again

Which one a model can have is found by trying (probe.py). llama.cpp's own answer is not enough:
it grants drops to snapshots that the last batch did not write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from engine.errors import RollbackRefused
from engine.types import Decoder

NO_LIMIT = 1 << 30


class Rollback(Protocol):
    """Brings a decoder's cache back to fewer tokens.

    limit: most tokens behind the first of a batch that can be taken back.
    saves: whether `mark` must be called before guessing.
    takes_batches: whether a whole batch can be taken back, its first token too.
    """

    name: str
    limit: int
    saves: bool
    takes_batches: bool

    def mark(self, n: int) -> None:
        """Remember the state behind the n tokens that the cache holds."""

    def forget(self) -> None:
        """The cache was emptied: nothing that was marked is part of it any more."""

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Make the cache, which holds `tokens`, hold tokens[:n]. n_last: size of the last batch.

        Raises RollbackRefused and leaves all as it was; DecodeError if llama.cpp fails.
        """


class Drop:
    """Forgets positions."""

    name = "drop"
    limit = NO_LIMIT
    saves = False
    takes_batches = True

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Whether it is worth trying: a cache with snapshots grants drops that it cannot make."""
        return decoder.n_snapshots == 0

    def mark(self, n: int) -> None:
        """Nothing to remember."""

    def forget(self) -> None:
        """Nothing to forget."""

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Drop the rest."""
        self._decoder.drop(n)


class Snapshots(Drop):
    """Goes back to a state that the last batch left behind one of its own tokens."""

    name = "snapshots"
    takes_batches = False

    def __init__(self, decoder: Decoder) -> None:
        super().__init__(decoder)
        self.limit = decoder.n_snapshots

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Whether there are any."""
        return decoder.n_snapshots > 0

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Drop the rest, if the last batch wrote the snapshot of token n - 1."""
        if len(tokens) - n > min(self.limit, n_last - 1):
            raise RollbackRefused(f"The last batch left no snapshot behind token {n}.")
        super().back(tokens, n, n_last)


class Replay:
    """Puts the marked state back and evaluates the tokens since then again."""

    name = "replay"
    limit = NO_LIMIT
    saves = True
    takes_batches = True

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._marked: int | None = None
        self._saved = bytearray()

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Always worth trying."""
        return True

    def mark(self, n: int) -> None:
        """Save the state; the one saved before is forgotten."""
        self._saved, self._marked = self._decoder.save(), n

    def forget(self) -> None:
        """Forget the mark."""
        self._marked = None

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Restore the mark and evaluate what stays behind it."""
        if self._marked is None or self._marked > n:
            raise RollbackRefused(f"No state was saved at token {n} or before it.")
        self._decoder.restore(self._saved, self._marked)
        for start in range(self._marked, n, self._decoder.n_batch):
            self._decoder.decode(tokens[start : min(n, start + self._decoder.n_batch)], start, 0)


class Never(Drop):
    """No way back but to forget everything: for models that none of the others is right for."""

    name = "none"
    limit = 0
    takes_batches = False

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Refuse."""
        raise RollbackRefused("This model's memory takes no tokens back.")


Kind: TypeAlias = type[Drop] | type[Replay]

KINDS: tuple[Kind, ...] = (Drop, Snapshots, Replay)
"""What is tried, the cheapest first."""
