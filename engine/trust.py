"""How far a drafter's confidence can be trusted, learnt from what the target then said.

A drafter states a confidence for each token. How often tokens of such a confidence are the target's
is counted in bins, the latest most. A bin that has seen little believes the drafter, as far as the
drafter deserves it elsewhere. Bins take their time; so the latest tests of all bins are compared
with what was expected of them. Where they differ by no accident (a new topic, another temperature)
all chances are scaled by it, and the bins forget, until they have caught up.
"""

from __future__ import annotations

import math
from bisect import bisect_right

EDGES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
MEMORY = 0.97
"""What a test is still worth at the next one in its bin."""
CLAIMS_MEMORY = 0.98
LATEST_MEMORY = 0.8
ACCIDENT, SLACK = 3.0, 0.5
"""Standard deviations, and tests, that the latest may be off by accident."""
FORGETTING = 0.5
"""What all that is in the bins is still worth after a test that showed it wrong."""
WEIGHT = 3.0
"""Tests that believing the drafter is worth."""
SUREST = 0.998
BENEFIT = 1.0
"""Claims that a new drafter is believed as if they had come true."""
FIRST_TYPICAL = 0.75
TYPICAL_RATE = 1 / 24


class Trust:
    """One drafter's record."""

    def __init__(self) -> None:
        self._hits = [0.0] * (len(EDGES) + 1)
        self._tests = [0.0] * (len(EDGES) + 1)
        self._kept = self._claimed = BENEFIT
        self._latest_hits = self._expected = self._variance = 0.0
        self._mood = 1.0
        self._typical = FIRST_TYPICAL

    @property
    def typical(self) -> float:
        """The chance that its next token is the target's, before it is known."""
        return min(SUREST, self._mood * self._typical)

    def chance(self, confidence: float) -> float:
        """Return the chance that a token of this confidence is the target's."""
        return min(SUREST, self._mood * self._usual(confidence))

    def meet(self, confidence: float) -> float:
        """Take in a token that was drafted, whether it is tested or not; return its chance."""
        usual = self._usual(confidence)
        self._typical += TYPICAL_RATE * (usual - self._typical)
        return min(SUREST, self._mood * usual)

    def learn(self, confidence: float, hit: bool) -> None:
        """Take in a test: the target said the drafter's token, or another."""
        usual = self._usual(confidence)
        at = bisect_right(EDGES, confidence)
        self._hits[at] = MEMORY * self._hits[at] + hit
        self._tests[at] = MEMORY * self._tests[at] + 1.0
        self._kept = BENEFIT + CLAIMS_MEMORY * (self._kept - BENEFIT) + hit
        self._claimed = BENEFIT + CLAIMS_MEMORY * (self._claimed - BENEFIT) + confidence
        self._latest_hits = LATEST_MEMORY * self._latest_hits + hit
        self._expected = LATEST_MEMORY * self._expected + usual
        self._variance = LATEST_MEMORY * self._variance + usual * (1.0 - usual)
        off = abs(self._latest_hits - self._expected)
        if off < ACCIDENT * math.sqrt(self._variance) + SLACK:
            self._mood = 1.0
        else:
            self._mood = (self._latest_hits + 0.5) / (self._expected + 0.5)
            self._forget()

    def _forget(self) -> None:
        """Let the bins count for less."""
        self._hits = [FORGETTING * hits for hits in self._hits]
        self._tests = [FORGETTING * tests for tests in self._tests]
        self._kept = BENEFIT + FORGETTING * (self._kept - BENEFIT)
        self._claimed = BENEFIT + FORGETTING * (self._claimed - BENEFIT)

    def _usual(self, confidence: float) -> float:
        """Return the chance by the bins alone."""
        at = bisect_right(EDGES, confidence)
        believed = min(confidence * self._kept / self._claimed, SUREST)
        return (self._hits[at] + WEIGHT * believed) / (self._tests[at] + WEIGHT)
