"""How tokens leave a cache again: one way for every kind of memory that llama.cpp has.

    drop        attention caches: the positions are forgotten; where a window slid on too far, the
                state behind the prompt is put back
    snapshots   recurrent and hybrid models that keep the states behind each token of the last batch
    replay      all others: the state is saved before guessing; it is put back and the tokens
                that stay are evaluated again

Which one a model can have is found by trying (probe.py). llama.cpp's own answer is not enough:
it grants drops to snapshots that the last batch did not write.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from engine.errors import DecodeError, RollbackRefused
from engine.limits import MAX_DRAFT_TOKENS
from engine.types import Decoder

NO_LIMIT = 1 << 30
PROBED = 16
"""Tokens that are evaluated at most to see what a model does, and taken back."""


@runtime_checkable
class Sliding(Protocol):
    """A decoder with windows that slide over cells, lap by lap."""

    @property
    def lap_left(self) -> int:
        """Tokens until the next lap."""


class Rollback(Protocol):
    """Brings a decoder's cache back to fewer tokens.

    limit: most tokens behind the first of a batch that can be taken back.
    saves: whether `mark` must be called before guessing.
    takes_batches: whether a whole batch can be taken back, its first token too.
    """

    name: str
    saves: bool

    @property
    def limit(self) -> int:
        """As above."""

    @property
    def takes_batches(self) -> bool:
        """As above."""

    def mark(self, n: int) -> None:
        """Remember the state behind the n tokens that the cache holds."""

    def settle(self, n: int, n_left: int) -> bool:
        """An answer begins: n tokens of the prompt are evaluated, and n_left are not yet. Return
        whether the limit holds only if all of those but the last are evaluated before guessing.
        """

    def forget(self) -> None:
        """The cache was emptied: nothing that was marked is part of it any more."""

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Make the cache, which holds `tokens`, hold tokens[:n]. n_last: size of the last batch.

        Raises RollbackRefused and leaves all as it was; DecodeError if llama.cpp fails.
        """


class Behind:
    """The state behind a prompt, which a chat comes back to: its answer is asked for again, or the
    next prompt has another text in the place of the answer.
    """

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._n: int | None = None
        self._saved = bytearray()

    def keep(self, n: int) -> None:
        """Save the state behind n tokens, unless it is saved or cannot be."""
        if n == self._n:
            return
        self.forget()
        with contextlib.suppress(DecodeError, MemoryError):
            self._saved, self._n = self._decoder.save(), n

    def forget(self) -> None:
        """Free the state."""
        self._n, self._saved = None, bytearray()

    def back(self, tokens: Sequence[int], n: int) -> None:
        """Put the state back and evaluate what stays behind it. Raises RollbackRefused where there
        is none at n tokens or before, or a picture stands between: that is no token to evaluate.
        """
        if self._n is None or self._n > n or min(tokens[self._n : n], default=0) < 0:
            raise RollbackRefused(f"No state was saved at token {n} or before it.")
        self._decoder.restore(self._saved, self._n)
        evaluate(self._decoder, tokens, self._n, n)

    def went(self, n: int) -> None:
        """The cache went back to n tokens: a state behind more is none of it any more."""
        if self._n is not None and n < self._n:
            self.forget()


def evaluate(decoder: Decoder, tokens: Sequence[int], start: int, end: int) -> None:
    """Evaluate tokens[start:end] in batches; no rows are wanted."""
    for first in range(start, end, decoder.n_batch):
        decoder.decode(tokens[first : min(end, first + decoder.n_batch)], first, 0)


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

    def settle(self, n: int, n_left: int) -> bool:
        """Nothing to prepare."""
        return False

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
        self._prompt = Behind(decoder)

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Whether there are any."""
        return decoder.n_snapshots > 0

    def settle(self, n: int, n_left: int) -> bool:
        """Save the state behind the n tokens."""
        self._prompt.keep(n)
        return False

    def forget(self) -> None:
        """Forget the prompt."""
        self._prompt.forget()

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Drop the rest, if the last batch wrote the snapshot of token n - 1; else evaluate again
        what stays behind the prompt.
        """
        if len(tokens) - n <= min(self.limit, n_last - 1):
            super().back(tokens, n, n_last)
        else:
            self._prompt.back(tokens, n)
        self._prompt.went(n)


class Replay:
    """Puts the marked state back and evaluates the tokens since then again."""

    name = "replay"
    limit = NO_LIMIT
    saves = True
    takes_batches = True

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._prompt = Behind(decoder)
        self._marked: int | None = None
        self._saved = bytearray()

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Always worth trying."""
        return True

    def mark(self, n: int) -> None:
        """Save the state; the one saved before is forgotten."""
        self._saved, self._marked = self._decoder.save(), n

    def settle(self, n: int, n_left: int) -> bool:
        """Save the state behind the n tokens, beside the mark that each step moves."""
        self._prompt.keep(n)
        return False

    def forget(self) -> None:
        """Forget the mark and the prompt."""
        self._marked = None
        self._prompt.forget()

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Restore the mark, or the prompt before it, and evaluate what stays behind it."""
        if self._marked is not None and self._marked <= n:
            self._decoder.restore(self._saved, self._marked)
            evaluate(self._decoder, tokens, self._marked, n)
        else:
            self._prompt.back(tokens, n)
            self._marked = None
        self._prompt.went(n)


class Slide:
    """Drops where the window is still kept, as it always is for what the last batch brought; else
    puts the state behind the prompt back. Nothing is guessed across the end of a lap, so that a
    text is the same with and without guesses.
    """

    name = Drop.name
    saves = False

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._prompt = Behind(decoder)

    @staticmethod
    def suits(decoder: Decoder) -> bool:
        """Never tried: no window slides over so short a text."""
        return False

    @property
    def limit(self) -> int:
        """What is left of the lap behind one token."""
        return self._decoder.lap_left - 1 if isinstance(self._decoder, Sliding) else NO_LIMIT

    @property
    def takes_batches(self) -> bool:
        """Whether the lap does not end soon."""
        return self.limit >= PROBED

    def mark(self, n: int) -> None:
        """Nothing to remember."""

    def settle(self, n: int, n_left: int) -> bool:
        """Save the state behind the n tokens."""
        self._prompt.keep(n)
        return self.limit < n_left + MAX_DRAFT_TOKENS

    def forget(self) -> None:
        """Forget the prompt."""
        self._prompt.forget()

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Drop the rest, or evaluate again what stays behind the prompt."""
        try:
            self._decoder.drop(n)
        except RollbackRefused:
            self._prompt.back(tokens, n)
        self._prompt.went(n)


class Never(Drop):
    """No way back but to forget everything: for models that none of the others is right for."""

    name = "none"
    limit = 0
    takes_batches = False

    def back(self, tokens: Sequence[int], n: int, n_last: int) -> None:
        """Refuse."""
        raise RollbackRefused("This model's memory takes no tokens back.")


Kind: TypeAlias = type[Drop] | type[Replay] | type[Slide]

KINDS: tuple[Kind, ...] = (Drop, Snapshots, Replay)
"""What is tried, the cheapest first."""
