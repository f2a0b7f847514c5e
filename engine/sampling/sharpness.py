"""How much sharper than its draft model a target is, learnt while they talk.

A larger model is surer of itself. A draft model that draws from its own, flatter distribution q
then guesses unlikely tokens too often; one that always guesses its likeliest never follows the
noise. In between lies q ** factor, normalised. For every factor the chance to meet the target's
token is known exactly wherever both distributions are (`chances`); the factor with the best recent
sum is used. Guesses get better; what is emitted does not change (verifiers/coupled.py).
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats
from engine.sampling.sampler import Distribution

FACTORS = (1.0, 1.25, 1.6, 2.0, 3.0, 5.0, 8.0)
MEMORY = 0.995
"""What a chance is still worth one observation later."""
HEAD_START = 0.05
"""Chances that not bending has in advance: few observations say little."""
LEAST = 1e-300
"""What is likelier than nothing and can still be divided by."""
MOST_COMPARED = 512
"""Candidates: comparing larger distributions would cost more than it brings."""


class Sharpness:
    """Sums the chances of every factor, the latest most."""

    def __init__(self) -> None:
        self._factors = np.array(FACTORS)
        self._sums = np.zeros(len(FACTORS))
        self._sums[0] = HEAD_START

    @property
    def factor(self) -> float:
        """The factor that has met the target best."""
        return FACTORS[int(self._sums.argmax())]

    def observe(self, target: Distribution, draft: Distribution) -> None:
        """Learn from both distributions of one position; the draft's as it was, not bent."""
        if len(draft.ids) > 1 and len(target.ids) <= MOST_COMPARED:
            self._sums *= MEMORY
            self._sums += chances(target, draft, self._factors)


def chances(target: Distribution, draft: Distribution, factors: Floats) -> Floats:
    """Return, for each factor, the chance that one Gumbel noise draws the same token from the
    target and from draft ** factor: [len(factors)].

    With p and q the two, that is sum_i 1 / sum_j max(p_j / p_i, q_j / q_i), over i that both have.
    """
    _, in_target, in_draft = np.intersect1d(
        target.ids, draft.ids, assume_unique=True, return_indices=True
    )
    every_q = draft.probs ** factors[:, None]
    p, q = target.probs[in_target], every_q[:, in_draft]
    p_elsewhere = target.probs.sum() - p.sum()
    q_elsewhere = (every_q.sum(axis=1) - q.sum(axis=1))[:, None]
    p, q = np.maximum(p, LEAST), np.maximum(q, LEAST)
    order = np.argsort(p / q, axis=1)
    p, q = p[order], np.take_along_axis(q, order, axis=1)
    p_from_here = p_elsewhere + np.cumsum(p[:, ::-1], axis=1)[:, ::-1]
    q_before = q_elsewhere + np.cumsum(q, axis=1) - q
    found: Floats = (1.0 / (p_from_here / p + q_before / q)).sum(axis=1)
    return found
