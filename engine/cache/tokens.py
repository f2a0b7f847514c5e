"""Which tokens a decoder's KV cache holds, and how it is brought to any other sequence.

The one place that pairs token lists with cache positions: the session keeps one for the target, the
draft model one of its own. Nothing that the cache already holds is evaluated again. Pictures among
the tokens (prompt/pictures.py) are evaluated by `Looking`, each tile as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.arrays import Logits
from engine.cache.rollback import Drop, Kind, Rollback
from engine.errors import DecodeError, RollbackRefused
from engine.prompt.pictures import next_place, whole
from engine.types import Decoder

PREFILL_CHUNK = 256
"""Tokens between two looks at whether the answer was cancelled; where batches have room for several
chunks, so many of them.
"""

Looking = Callable[[int, int], int]
"""Evaluates the tile with this first place at positions from the second argument on; returns how
many it takes."""


class TokenCache:
    """`tokens` mirrors the decoder's cache position by position; `rollback` says how some leave.

    look: None where there are never pictures among them.
    """

    def __init__(
        self, decoder: Decoder, rollback: Kind = Drop, look: Looking | None = None
    ) -> None:
        self.decoder = decoder
        self._look = look
        self.rollback: Rollback = rollback(decoder)
        self.tokens: list[int] = []
        self._n_last = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def align(self, tokens: Sequence[int]) -> int:
        """Keep of the longest common prefix with `tokens`, but not all of them, what can be kept
        without evaluating any; return how many tokens that is.

        At least one token of `tokens` stays to be evaluated, since its logits are wanted. A cache
        that cannot go back so far is emptied.
        """
        common = whole(self.tokens, common_prefix(self.tokens, tokens[:-1]))
        try:
            self._back(common)
        except RollbackRefused:
            self._back(0)
        except DecodeError:  # a state that was saved is not taken back
            self.clear()
        return len(self.tokens)

    def prefill(self, tokens: Sequence[int], cancelled: Callable[[], bool]) -> bool:
        """Evaluate `tokens` in chunks, but leave the last chunk to whoever wants its logits; it is
        text.

        Returns False if cancelled between two chunks; what was evaluated stays cached. Raises
        PictureError.
        """
        n_batch = self.decoder.n_batch
        chunk = n_batch // PREFILL_CHUNK * PREFILL_CHUNK or n_batch
        tile = self._next_tile(tokens)
        while len(tokens) - len(self.tokens) > chunk or tile is not None:
            if cancelled():
                return False
            start = len(self.tokens)
            if start == tile:
                self._see(tokens)
                tile = self._next_tile(tokens)
            else:
                end = start + chunk
                self.extend(tokens[start : end if tile is None else min(end, tile)], 0)
        left = tokens[len(self.tokens) : -1]
        if left and self.rollback.wants_all(len(left) + 1):
            self.extend(left, 0)
        self.rollback.settle(len(self.tokens))
        return not cancelled()

    def _next_tile(self, tokens: Sequence[int]) -> int | None:
        """Return where the first tile stands that is not cached; None if there is none."""
        return None if self._look is None else next_place(tokens, len(self.tokens))

    def _see(self, tokens: Sequence[int]) -> None:
        """Evaluate the tile behind the cached tokens. No way back leads into it or over it: a
        replay would evaluate tokens, and it has none.
        """
        assert self._look is not None, "asked for without pictures"
        start = len(self.tokens)
        self.tokens.extend(tokens[start : start + self._look(tokens[start], start)])
        self._n_last = 0
        self.mark()

    def clear(self) -> None:
        """Forget everything, also what a decode that failed left behind."""
        self._back(0)
        self.decoder.clear()

    def mark(self) -> None:
        """Make sure that `keep` can come back to the tokens held now."""
        if self.rollback.saves:
            self.rollback.mark(len(self.tokens))

    def keep(self, n: int) -> None:
        """Drop all but the first n tokens, text since the last mark; those behind a state that is
        put back are evaluated again. Raises RollbackRefused and leaves all as it was.
        """
        if n >= len(self.tokens):
            return
        at = self._state_at(n)
        replayed = self.tokens[at:n]
        del self.tokens[at:]
        for start in range(0, len(replayed), self.decoder.n_batch):
            self.extend(replayed[start : start + self.decoder.n_batch], 0)
        self._n_last = 0

    def _back(self, n: int) -> None:
        """Drop all but the first n tokens, or fewer where no state is nearer."""
        if n < len(self.tokens):
            del self.tokens[self._state_at(n) :]
            self._n_last = 0

    def _state_at(self, n: int) -> int:
        """Bring the decoder back to n tokens, or to fewer; return to how many."""
        if n > 0:
            return self.rollback.back(len(self.tokens), n, self._n_last)
        self.decoder.drop(0)
        self.rollback.forget()
        return 0

    def extend(self, tokens: Sequence[int], n_rows: int) -> Logits:
        """Evaluate `tokens` behind the cached ones; return the last n_rows rows of logits."""
        logits = self.decoder.decode(tokens, len(self.tokens), n_rows)
        self.tokens.extend(tokens)
        self._n_last = len(tokens)
        return logits


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Return how many leading tokens two sequences share."""
    for n, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return n
    return min(len(a), len(b))
