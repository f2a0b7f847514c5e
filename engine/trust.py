"""How far a drafter's confidence can be trusted, learnt from what the target then said.

A drafter states a confidence for each token. How often tokens of such a confidence are the target's
is counted in bins, the latest most, so that a new topic or temperature is noticed. A bin that has
seen little believes the drafter, as far as the drafter deserves it elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right

EDGES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
MEMORY = 0.97
"""What a test is still worth at the next one in its bin."""
CLAIMS_MEMORY = 0.98
WEIGHT = 4.0
"""Tests that believing the drafter is worth."""
SUREST = 0.998
FIRST_TYPICAL = 0.75
TYPICAL_RATE = 1 / 24


class Trust:
    """One drafter's record.

    typical: the chance that its next token is the target's, before it is known.
    """

    def __init__(self) -> None:
        self.typical = FIRST_TYPICAL
        self._hits = [0.0] * (len(EDGES) + 1)
        self._tests = [0.0] * (len(EDGES) + 1)
        self._kept, self._claimed = 2.0, 2.0

    def chance(self, confidence: float) -> float:
        """Return the chance that a token of this confidence is the target's."""
        at = bisect_right(EDGES, confidence)
        believed = min(confidence * self._kept / self._claimed, SUREST)
        return (self._hits[at] + WEIGHT * believed) / (self._tests[at] + WEIGHT)

    def meet(self, chance: float) -> None:
        """Take in the chance of a token that was drafted, whether it is tested or not."""
        self.typical += TYPICAL_RATE * (chance - self.typical)

    def learn(self, confidence: float, hit: bool) -> None:
        """Take in a test: the target said the drafter's token, or another."""
        at = bisect_right(EDGES, confidence)
        self._hits[at] = MEMORY * self._hits[at] + hit
        self._tests[at] = MEMORY * self._tests[at] + 1.0
        self._kept = 2.0 + CLAIMS_MEMORY * (self._kept - 2.0) + hit
        self._claimed = 2.0 + CLAIMS_MEMORY * (self._claimed - 2.0) + confidence
