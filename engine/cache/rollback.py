"""How tokens leave a cache again: one way for every kind of memory that llama.cpp has.

    drop        attention caches: the positions are forgotten; where a window slid on too far, the
                state behind the prompt is put back
    snapshots   recurrent and hybrid models that keep the states behind each token of the last batch
    replay      all others: the state is saved before guessing; it is put back, and whoever holds
                the tokens (tokens.py) evaluates again those that stay

Which one a model can have is found by trying (loading/probe.py). llama.cpp's own answer is not
enough: it grants drops to snapshots that the last batch did not write.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from engine.cache.prompt_state import PromptState
from engine.errors import RollbackRefused
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

    def wants_all(self, n_left: int) -> bool:
        """Whether all n_left tokens of a prompt, but the last one, should be evaluated before an
        answer begins: to guess behind it, or to come back to it.
        """

    def settle(self, n: int) -> None:
        """An answer begins, and n tokens of its prompt are evaluated."""

    def forget(self) -> None:
        """The cache was emptied: nothing that was marked is part of it any more."""

    def back(self, n_held: int, n: int, n_last: int) -> int:
        """Make the cache, which holds n_held tokens, hold the first n of them, or as many of those
        as there is a state behind; return how many. n_last: size of the last batch.

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

    def mark(self, n: int) -> None:
        """Nothing to remember."""

    def wants_all(self, n_left: int) -> bool:
        """Any tokens can be taken back."""
        return False

    def settle(self, n: int) -> None:
        """Nothing to prepare."""

    def forget(self) -> None:
        """Nothing to forget."""

    def back(self, n_held: int, n: int, n_last: int) -> int:
        """Drop the rest."""
        self._decoder.drop(n)
        return n


class _Returning(Drop):
    """Beside its own way back there is another one: to the state behind the prompt."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__(decoder)
        self._prompt = PromptState(decoder)

    def wants_all(self, n_left: int) -> bool:
        """What is not behind the state would be evaluated again in each next turn."""
        return True

    def settle(self, n: int) -> None:
        """Save the state behind the n tokens."""
        self._prompt.keep(n)

    def forget(self) -> None:
        """Forget the prompt."""
        self._prompt.forget()

    def back(self, n_held: int, n: int, n_last: int) -> int:
        """Go whichever of the two ways there is."""
        n = self._back(n_held, n, n_last)
        self._prompt.went(n)
        return n

    def _back(self, n_held: int, n: int, n_last: int) -> int:
        raise NotImplementedError


class Snapshots(_Returning):
    """Goes back to a state that the last batch left behind one of its own tokens."""

    name = "snapshots"
    takes_batches = False

    def __init__(self, decoder: Decoder) -> None:
        super().__init__(decoder)
        self.limit = decoder.n_snapshots

    def _back(self, n_held: int, n: int, n_last: int) -> int:
        """Drop the rest, if the last batch wrote the snapshot of token n - 1."""
        if n_held - n <= min(self.limit, n_last - 1):
            self._decoder.drop(n)
            return n
        return self._prompt.back(n)


class Replay(_Returning):
    """Puts the marked state back, or the one behind the prompt."""

    name = "replay"
    saves = True

    def __init__(self, decoder: Decoder) -> None:
        super().__init__(decoder)
        self._marked: int | None = None
        self._saved = bytearray()

    def mark(self, n: int) -> None:
        """Save the state; the one saved before is forgotten."""
        self._saved, self._marked = self._decoder.save(), n

    def forget(self) -> None:
        """Forget the mark and the prompt."""
        self._marked, self._saved = None, bytearray()
        super().forget()

    def _back(self, n_held: int, n: int, n_last: int) -> int:
        """Restore whichever of the two is nearer."""
        if self._marked is None or self._marked > n or self._prompt.is_nearer(n, self._marked):
            n, self._marked = self._prompt.back(n), None
            return n
        self._decoder.restore(self._saved, self._marked)
        return self._marked


class Slide(_Returning):
    """Drops where the window is still kept, as it always is for what the last batch brought; else
    puts the state behind the prompt back. Nothing is guessed across the end of a lap, so that a
    text is the same with and without guesses. Never tried out: no window slides over so short a
    text.
    """

    @property
    def limit(self) -> int:  # type: ignore[override]  # it changes
        """What is left of the lap behind one token."""
        return self._decoder.lap_left - 1 if isinstance(self._decoder, Sliding) else NO_LIMIT

    @property
    def takes_batches(self) -> bool:  # type: ignore[override]  # it changes
        """Whether the lap does not end soon."""
        return self.limit >= PROBED

    def wants_all(self, n_left: int) -> bool:
        """Whether a draft beside them would cross the lap's end."""
        return self.limit < n_left + MAX_DRAFT_TOKENS

    def _back(self, n_held: int, n: int, n_last: int) -> int:
        """Drop the rest, or put the state behind the prompt back."""
        try:
            self._decoder.drop(n)
        except RollbackRefused:
            return self._prompt.back(n)
        return n


class Never(Drop):
    """No way back but to forget everything: for models that none of the others is right for."""

    name = "none"
    limit = 0
    takes_batches = False

    def back(self, n_held: int, n: int, n_last: int) -> int:
        """Refuse."""
        raise RollbackRefused("This model's memory takes no tokens back.")


Kind: TypeAlias = type[Drop] | type[Replay] | type[Slide]


def worth_trying(decoder: Decoder) -> tuple[Kind, ...]:
    """Return the ways back that may work, the cheapest first: a cache with snapshots grants drops
    that it cannot make.
    """
    return (Snapshots if decoder.n_snapshots else Drop, Replay)
