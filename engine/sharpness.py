"""How much sharper than its draft model a target is, learnt while they talk.

A larger model is surer of itself. A draft model that draws from its own, flatter distribution then
guesses unlikely tokens too often; one that always guesses its likeliest never follows the noise. In
between lies draft_probs ** factor, normalised, and the best factor is whichever would have met the
target's tokens most often: every drawn token says so for all factors at once, since noise and rows
are known. Guesses get better; what is emitted does not change (verifiers/coupled.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FACTORS = (1.0, 1.25, 1.6, 2.0, 3.0, 5.0)
MEMORY = 0.995
"""What a hit is still worth one informative token later."""
HEAD_START = 3.0
"""Hits that not bending has in advance: few tokens say little."""


class Sharpness:
    """Counts which factors' guesses the target said, the latest most."""

    def __init__(self) -> None:
        self.factors = np.array(FACTORS)
        self._hits = np.zeros(len(FACTORS))
        self._hits[0] = HEAD_START

    @property
    def best(self) -> int:
        """The index of the factor that has met the target best."""
        return int(self._hits.argmax())

    def observe(self, guesses: Sequence[int], said: int) -> None:
        """Learn from one token. guesses: [len(factors)], what each factor would have drafted."""
        if min(guesses) != max(guesses):
            self._hits *= MEMORY
            self._hits += np.array(guesses) == said
