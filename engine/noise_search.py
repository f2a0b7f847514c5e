"""Looks for width noise where the probe's few rows may show none.

Quantised activations hide most of what kernels round differently: rows of all batch widths agree to
the bit until, in one row of many, a number falls to the other side of a rounding. From there on all
rows differ, for the cache does. A large model has so many activations that this happens in every
row; in a small one it is rare, but then its rows are quick to evaluate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.cache import TokenCache
from engine.rollback import Kind
from engine.types import Decoder
from engine.width_noise import NO_NOISE, WidthNoise

ENOUGH_ROWS, ENOUGH_DIFFERING = 256, 8
"""Rows to look at where some differ: one says little of how much, for few may differ most."""
MOST_ROWS = 2048
"""Rows to look at where none does. In small models, one in some hundreds begins to."""
BUDGET_S, FEWEST_TOKENS = 2.0, 32
WIDTH = 16


@dataclass(frozen=True, slots=True)
class Search:
    """How far the search is: in n_rows rows, of which n_differing were other rows alone. noise: all
    that is known of, found there or not.
    """

    noise: WidthNoise = NO_NOISE
    n_rows: int = 0
    n_differing: int = 0

    @property
    def is_over(self) -> bool:
        """Whether more rows would tell little."""
        if self.n_differing >= ENOUGH_DIFFERING:
            return self.n_rows >= ENOUGH_ROWS
        return self.n_rows >= MOST_ROWS

    def go_on(
        self,
        decoder: Decoder,
        kind: Kind,
        words: Sequence[int],
        token_s: float,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Search:
        """Compare rows of batches with rows evaluated alone, each behind the same tokens, in about
        BUDGET_S seconds, and not at all where those are too few rows to tell more than the probe's.

        kind: how the decoder rolls back; words: tokens that texts have, which are shuffled anew
        each time; token_s: what one alone took when that was measured. The cache is left empty.
        """
        n_tokens = min(2 * ENOUGH_ROWS, decoder.n_ctx, int(BUDGET_S / token_s))
        if n_tokens < FEWEST_TOKENS or _width(TokenCache(decoder, kind)) == 1:
            return self
        found, until = self, clock() + BUDGET_S
        while not found.is_over and clock() < until:
            tokens = random.Random(found.n_rows).choices(words, k=n_tokens)
            decoder.drop(0)
            cache = TokenCache(decoder, kind)
            while len(cache) < n_tokens and not found.is_over and clock() < until:
                found = found._with(cache, tokens)
        decoder.drop(0)
        return found

    def _with(self, cache: TokenCache, tokens: Sequence[int]) -> Search:
        """Compare the rows of one batch, the next of these tokens."""
        start = len(cache)
        cache.mark()
        batch = tokens[start : start + _width(cache)]
        rows = cache.extend(batch, len(batch)).copy()
        cache.keep(start + 1)
        found = self
        for token, row in zip(batch[1:], rows[1:], strict=True):
            found = found.with_row(WidthNoise.between(row, cache.extend([token], 1)[0]))
        return found

    def with_row(self, noise: WidthNoise) -> Search:
        """Take in one more row."""
        return Search(self.noise | noise, self.n_rows + 1, self.n_differing + bool(noise))


def _width(cache: TokenCache) -> int:
    """Return the width of a batch that rows can be taken back from."""
    return min(WIDTH, cache.rollback.limit + 1, cache.decoder.n_batch)
