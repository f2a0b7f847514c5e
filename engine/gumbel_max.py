"""Gumbel-max sampling: adding noise to log-probabilities and taking the largest draws from them.

The noise is keyed by seed, position and token (noise.py). Ties go to the lowest id.
"""

from __future__ import annotations

import math

import numpy as np

from engine.noise import bucket_bounds, gumbel
from engine.settings import SamplingSettings
from engine.support import Floats, Ids, Row, Support, column_maxima, in_columns


def noisy(kept: Support, settings: SamplingSettings, position: int) -> Floats:
    """Return log-probabilities plus noise, up to a constant: [n]; at temperature 0 the logits."""
    if settings.temperature == 0.0:
        return kept.logits
    return kept.logits / settings.temperature + gumbel(settings.seed, position, kept.ids)


def best_of_all(
    row: Row, settings: SamplingSettings, position: int, margin: float = 0.0
) -> tuple[int, float]:
    """Draw from a whole row; return the token, and its lead in logits as far as it is under margin.

    Only buckets whose bound reaches the best of the most promising one are looked into.
    """
    seed, temperature = settings.seed, settings.temperature
    bounds = column_maxima(row).astype(np.float64) / temperature
    bounds += bucket_bounds(seed, position)

    def opened(columns: Ids) -> tuple[Ids, Floats]:
        ids = in_columns(columns, len(row))
        return ids, row[ids].astype(np.float64) / temperature + gumbel(seed, position, ids)

    promising = np.flatnonzero(bounds == bounds.max())
    reached = opened(promising)[1].max() - margin / temperature
    ids, scores = opened(np.flatnonzero(bounds >= reached))
    token = lowest_best(ids, scores)
    return token, lead(scores, ids, token) * temperature


def lowest_best(ids: Ids, scores: Floats) -> int:
    """Return the id with the largest score, the lowest one among equals."""
    best = int(scores.argmax())
    equal = scores == scores[best]
    return int(ids[best] if np.count_nonzero(equal) == 1 else ids[equal].min())


def lead(scores: Floats, ids: Ids, token: int) -> float:
    """Return how far all others are behind `token`; inf if there are none."""
    others = scores[ids != token]
    own = float(scores[ids == token][0])
    return own - float(others.max()) if len(others) else math.inf
