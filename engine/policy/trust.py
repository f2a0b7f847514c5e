"""How far a drafter's confidence can be trusted, learnt from what the target then said.

A drafter states a confidence for each token. How often tokens of such a confidence are the target's
is counted in bins, the latest most. A bin that has seen little believes the drafter, by odds that
are scaled as it deserves elsewhere (Platt 1999 with slope 1, learnt online). Bins take their time,
and another topic makes a drafter wrong at all confidences at once: a token that it would bet 9 to 1
on is hit or miss in a story. So a tendency scales the odds of all chances; it follows the latest
tests at once, and is gone again as the bins catch up. A record of hundreds of tests is another
matter, and is weighed against the latest ones (CUSUM tests: Page, Continuous Inspection Schemes,
1954). Where they speak overwhelmingly for the drafter's word, the record is forgotten; where they
are misses that it all but rules out, the odds fall at once.
"""

from __future__ import annotations

import math
from bisect import bisect_right

EDGES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
MEMORY = 0.97
"""What a test is still worth at the next one in its bin."""
TENDENCY_RATE, TENDENCY_MEMORY = 0.25, 0.95
"""What a test that was off by one changes at the odds of all chances, as a logarithm, and what of
that is left at the next test.
"""
BELIEF_RATE, FIRST_BELIEF_RATE = 0.1, 1.5
"""The same for the odds at which the drafter is believed; the nth test's is FIRST_BELIEF_RATE / n
while that is more.
"""
WEIGHT = 3.0
"""Tests that believing the drafter is worth."""
OVERWHELMING, LEAST_LIKELY = 12.0, 0.02
"""The logarithm of how much more likely the latest tests were by the drafter's word than by its
record, for that to be forgotten; and the least that a test's likelihood counts as.
"""
RULED_OUT, LESS, FALL = 4.5, 0.5, 2.0
"""The logarithm of how much more likely the latest tests were with chances LESS times those of the
record, for the odds to fall; and by how much, as a logarithm.
"""
SUREST = 0.998
UNTESTED = 0.86
"""What a token's chance is at most while none of the drafter's was ever tested."""
FIRST_TYPICAL = 0.75
TYPICAL_RATE = 1 / 16


class Trust:
    """One drafter's record."""

    def __init__(self) -> None:
        self._n = 0
        self._surest = UNTESTED
        self._forget()

    def _forget(self) -> None:
        """Know nothing but the drafter's word."""
        self._hits = [0.0] * (len(EDGES) + 1)
        self._tests = [0.0] * (len(EDGES) + 1)
        self._belief = self._tendency = 0.0
        self._belief_odds = self._tendency_odds = 1.0
        self._typical = FIRST_TYPICAL
        self._for_its_word = self._against_it = 0.0

    @property
    def typical(self) -> float:
        """The chance that its next token is the target's, before it is known."""
        return self._now(self._typical)

    def chance(self, confidence: float) -> float:
        """Return the chance that a token of this confidence is the target's."""
        return self._now(self._usual(confidence))

    def meet(self, confidence: float) -> float:
        """Take in a token that was drafted, whether it is tested or not; return its chance."""
        usual = self._usual(confidence)
        self._typical += TYPICAL_RATE * (usual - self._typical)
        return self._now(usual)

    def learn(self, confidence: float, hit: bool) -> None:
        """Take in a test: the target said the drafter's token, or another."""
        self._n += 1
        self._surest = SUREST
        at, believed = bisect_right(EDGES, confidence), self._believed(confidence)
        known = self._now(self._in_bin(at, believed))
        off = hit - known
        self._tendency = TENDENCY_MEMORY * self._tendency + TENDENCY_RATE * off
        likely = _likelihood(known, hit)
        less_likely = _likelihood(LESS * known, hit) / likely
        self._against_it = max(0.0, self._against_it + math.log(less_likely))
        if self._against_it > RULED_OUT:
            self._against_it = 0.0
            self._tendency -= FALL
        self._tendency_odds = math.exp(self._tendency)
        rate = max(BELIEF_RATE, FIRST_BELIEF_RATE / self._n)
        self._belief += rate * (hit - believed)
        self._belief_odds = math.exp(self._belief)
        self._hits[at] = MEMORY * self._hits[at] + hit
        self._tests[at] = MEMORY * self._tests[at] + 1.0
        likelier = _likelihood(min(SUREST, confidence), hit) / likely
        self._for_its_word = max(0.0, self._for_its_word + math.log(likelier))
        if self._for_its_word > OVERWHELMING:
            self._forget()

    def _now(self, usual: float) -> float:
        """Return the chance with the tendency of the latest tests."""
        return min(self._surest, _scaled(usual, self._tendency_odds))

    def _usual(self, confidence: float) -> float:
        """Return the chance by the bins alone."""
        return self._in_bin(bisect_right(EDGES, confidence), self._believed(confidence))

    def _in_bin(self, at: int, believed: float) -> float:
        """Return the chance in a bin, where the drafter's own word makes it `believed`."""
        return (self._hits[at] + WEIGHT * believed) / (self._tests[at] + WEIGHT)

    def _believed(self, confidence: float) -> float:
        """Return the chance by the drafter's own word."""
        return min(SUREST, _scaled(min(SUREST, confidence), self._belief_odds))


def _scaled(chance: float, odds: float) -> float:
    """Return the chance whose odds are that many times those of this one."""
    return chance * odds / (1.0 - chance + chance * odds)


def _likelihood(chance: float, hit: bool) -> float:
    """Return how likely this chance makes a test's outcome."""
    return max(LEAST_LIKELY, chance if hit else 1.0 - chance)
