"""Gumbel-max sampling: adding noise to log-probabilities and taking the largest draws from them.

The noise is keyed by seed, position and token (noise.py). Ties go to the lowest id.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ids, Row
from engine.sampling.noise import bucket_bounds, gumbel
from engine.sampling.selection import column_maxima, in_columns
from engine.sampling.truncation import Candidates, Support
from engine.settings import SamplingSettings


def noisy(kept: Support | Candidates, settings: SamplingSettings, position: int) -> Floats:
    """Return log-probabilities plus noise, up to a constant: [n]; at temperature 0 the logits."""
    if settings.temperature == 0.0:
        return kept.logits
    return kept.logits / settings.temperature + gumbel(settings.seed, position, kept.ids)


def best_of_all(
    row: Row, settings: SamplingSettings, position: int, margin: float = 0.0
) -> tuple[int, float]:
    """Draw from a whole row; return the token and its lead over all others, in logits. The lead is
    exact where it is below `margin`, else it is somewhere above.

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
    at, lead = best_and_lead(ids, scores, len(ids))
    return int(ids[at]), lead * temperature


def best_and_lead(ids: Ids, scores: Floats, n: int) -> tuple[int, float]:
    """Return the index of the best of the first n, of equals that of the lowest id, and its lead
    over all other scores: negative if one behind the first n is better, inf if there is no other.

    The scores are changed for a while, and given back as they were.
    """
    at = int(scores[:n].argmax())
    own = scores.item(at)
    scores[at] = -np.inf
    others = scores.item(scores.argmax())
    scores[at] = own
    lead = own - others if others > -np.inf else np.inf
    if lead <= 0.0:
        equal = np.flatnonzero(scores[:n] == own)
        at = int(equal[ids[equal].argmin()])
    return at, lead
