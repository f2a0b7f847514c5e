"""What a freshly loaded model can do, found by trying: roll back, and how exactly rows agree.

Rows of one batch and one-row batches run on different kernels: the probe measures how far they
differ (sampling/width_noise.py). A way to roll back works if tokens that are evaluated again behind
it have the same rows as before, but for that noise. What llama.cpp says of it does not count: it
grants some drops that it cannot make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np

from engine.arrays import Row
from engine.cache.rollback import Kind, Never, worth_trying
from engine.cache.tokens import TokenCache
from engine.errors import DecodeError, ModelFileError, RollbackRefused
from engine.sampling.width_noise import NO_NOISE, WidthNoise
from engine.types import Decoder

WIDTHS = (17, 8, 4, 2)
"""Batch widths whose rows are compared with rows evaluated alone."""
SINGLES = 8
GUESSED = WIDTHS[0]
WRONG = 1e-2
"""A larger normalised mean squared error is no rounding: the rollback was wrong."""
NOISIER, WRONG_ANYHOW = 4.0, 0.1
"""Unless the kernels of a wide batch alone make one as large: that was seen of models whose
activations are rounded to 8 bits. Then it is one that is so many times larger, or than that.
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found.

    rollback: the first way to roll back that works, Never if none does.
    noise: how far logits depend on the batch width.
    """

    rollback: Kind
    noise: WidthNoise


def probe(decoder: Decoder, tokens: Sequence[int]) -> Probe:
    """Try the ways to roll back on `tokens`, more than GUESSED. Leaves the cache empty."""
    assert len(tokens) > GUESSED, "a prefix, and a batch behind it"
    for kind in worth_trying(decoder):
        decoder.drop(0)
        try:
            found = _tried(decoder, kind, tokens)
        except (RollbackRefused, DecodeError):
            continue
        if found is not None:
            decoder.drop(0)
            return found
    decoder.drop(0)
    _alone(TokenCache(decoder), tokens, 0)
    decoder.drop(0)
    return Probe(Never, NO_NOISE)


def _tried(decoder: Decoder, kind: Kind, tokens: Sequence[int]) -> Probe | None:
    """Guess in batches of every width, each behind one token more, and take all but one back; then
    evaluate the same tokens alone. Returns None if their rows differ by more than rounding.
    """
    start = len(tokens) - GUESSED
    cache = TokenCache(decoder, kind)
    cache.extend(tokens[:start], 1)
    guessed: list[tuple[int, Row]] = []
    for first, widest in enumerate(WIDTHS, start):
        cache.mark()
        width = min(widest, cache.rollback.limit + 1)
        rows = cache.extend(tokens[first : first + width], width).copy()
        guessed += enumerate(rows, first)
        cache.keep(first + 1)
    alone = _alone(cache, tokens, start + len(WIDTHS))
    pairs = [(alone[at], row) for at, row in guessed if at in alone]
    worst = max(nmse(row, other) for other, row in pairs)
    if worst > WRONG and worst > min(WRONG_ANYHOW, NOISIER * _rounding(decoder, tokens)):
        return None
    noises = (WidthNoise.between(row, other) for other, row in pairs)
    return Probe(kind, reduce(or_, noises))


def _rounding(decoder: Decoder, tokens: Sequence[int]) -> float:
    """Return the largest error of a wide batch's rows where nothing was ever taken back."""
    start = len(tokens) - GUESSED
    decoder.drop(0)
    cache = TokenCache(decoder)
    cache.extend(tokens[:start], 1)
    rows = cache.extend(tokens[start:], GUESSED).copy()
    decoder.drop(0)
    cache = TokenCache(decoder)
    cache.extend(tokens[:start], 1)
    alone = _alone(cache, tokens, start)
    return max(nmse(rows[at - start], row) for at, row in alone.items())


def _alone(cache: TokenCache, tokens: Sequence[int], first: int) -> dict[int, Row]:
    """Evaluate SINGLES tokens one by one; return their rows by position."""
    rows: dict[int, Row] = {}
    for at in range(first, first + SINGLES):
        row = cache.extend([tokens[at]], 1)[0]
        rows[at] = row.copy()
        if np.isnan(row).any():
            raise ModelFileError("The model computes no numbers (NaN).", "Its file may be damaged.")
    return rows


def nmse(row: Row, wanted: Row) -> float:
    """Return the mean squared error over the variance of what is wanted."""
    return float(np.square(_difference(row, wanted)).mean() / wanted[np.isfinite(wanted)].var())


def _difference(row: Row, other: Row) -> Row:
    """Return row - other where both are finite; a model may rule tokens out with -inf."""
    both = np.isfinite(row) & np.isfinite(other)
    return row[both] - other[both]
