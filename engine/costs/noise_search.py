"""Looks for width noise where the probe's few rows may show none, or not the most there is.

Quantised activations hide most of what kernels round differently: rows of all batch widths agree to
the bit until, in one row of many, a number falls to the other side of a rounding. From there on all
rows differ, for the cache does, and they differ more the more often it happened; a quantised cache
does the same. So whole texts are compared, one evaluated token by token and once more in batches of
all widths, as plain decoding and drafts would leave them in the cache.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.arrays import Row
from engine.sampling.width_noise import NO_NOISE, REACHES, WidthNoise
from engine.types import Decoder

TEXT = 512
"""Tokens of one text."""
ENOUGH_TOKENS = 256
"""Tokens to look at in all where some row differed."""
MOST_TOKENS = 2048
"""Tokens to look at in all where none did."""
BUDGET_S = 2.0
"""Of one load."""
FEWEST_TOKENS = 32
"""Where there is time for fewer in one load, none is looked at."""
WIDTHS = (16, 4, 8, 2)
EVERY = 16
"""Of so many rows one is compared."""
UNSEEN = WidthNoise((0.1,) * len(REACHES))
"""What is assumed of a model while too few tokens were looked at to say that there is no noise: as
much as small models with quantised weights show.
"""


@dataclass(frozen=True, slots=True)
class Search:
    """How far the search is: n_tokens were looked at. noise: all that is known of, found there or
    not.
    """

    noise: WidthNoise = NO_NOISE
    n_tokens: int = 0

    @property
    def is_over(self) -> bool:
        """Whether more tokens would tell little."""
        return self.n_tokens >= (ENOUGH_TOKENS if self.noise else MOST_TOKENS)

    def go_on(
        self,
        decoder: Decoder,
        words: Sequence[int],
        token_s: float,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Search:
        """Compare texts in about BUDGET_S seconds, and not at all where those are too few tokens to
        tell more than the probe's.

        words: tokens that texts have, which are shuffled anew each time; token_s: what one alone
        took when that was measured. The cache is left empty.
        """
        n = min(TEXT, decoder.n_ctx, int(BUDGET_S / token_s))
        if n < FEWEST_TOKENS:
            return self
        found, until = self, clock() + BUDGET_S
        while not found.is_over and clock() < until:
            tokens = random.Random(found.n_tokens).choices(words, k=n)
            found = found._with_text(decoder, tokens, lambda: clock() >= until)
        decoder.drop(0)
        return found

    def _with_text(
        self, decoder: Decoder, tokens: Sequence[int], is_late: Callable[[], bool]
    ) -> Search:
        """Compare one text, or so much of it as there is time for."""
        alone: dict[int, Row] = {}
        decoder.drop(0)
        for at, token in enumerate(tokens):
            row = decoder.decode([token], at, 1)[0]
            if at % EVERY == EVERY - 1:
                alone[at] = row.copy()
                if is_late():
                    break
        n, noise = 1 + max(alone, default=0), self.noise
        decoder.drop(0)
        for start, end in _batches(n, decoder.n_batch):
            rows = decoder.decode(tokens[start:end], start, end - start)
            for at in range(start, end):
                if at in alone:
                    noise |= WidthNoise.between(rows[at - start], alone[at])
        return Search(noise, self.n_tokens + n)


def _batches(n: int, n_batch: int) -> Iterator[tuple[int, int]]:
    """Cut n tokens into batches of all widths."""
    start = 0
    for width in itertools.cycle(WIDTHS):
        if start >= n:
            return
        end = min(n, start + min(width, n_batch))
        yield start, end
        start = end
