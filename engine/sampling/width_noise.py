"""How far the logits of one position differ between batch widths, so how close near-ties are.

Rows of one batch and one-row batches run on different kernels, so their logits differ in the last
bits, and a draw that is closer than that may fall either way. What is measured is kept by how far
behind the likeliest a token is: some models rule tokens out with logits of minus some thousands,
which round by whole numbers. Those are never drawn, unless a bias or a penalty brings them near.

Pure: it sees rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.arrays import Row

SAFETY = 3.0
"""Two logits may move against each other, and what some rows show is not yet the most that can be.
"""
REACHES = (30.0, 60.0, 120.0, math.inf)
"""Logits behind the likeliest. Further than the first of them nothing is drawn at temperature 1."""
FIRST_DEPTH = 256


@dataclass(frozen=True, slots=True)
class WidthNoise:
    """largest: [len(REACHES)], the largest difference of a logit that is no further behind."""

    largest: tuple[float, ...] = (0.0,) * len(REACHES)

    @staticmethod
    def between(row: Row, other: Row) -> WidthNoise:
        """Compare two rows of one place, as they are: not biased, penalised or divided by a
        temperature. A logit that is finite in one of them only is not compared.
        """
        with np.errstate(invalid="ignore"):  # inf - inf
            differences = np.abs(row - other)
        behind = np.minimum(row.max() - row, other.max() - other)
        compared = np.isfinite(differences)
        differences, behind = differences[compared], behind[compared]
        return WidthNoise(
            tuple(float(differences[behind < reach].max(initial=0.0)) for reach in REACHES)
        )

    def __or__(self, other: WidthNoise) -> WidthNoise:
        """Return the larger of both, everywhere."""
        return WidthNoise(tuple(map(max, self.largest, other.largest)))

    def __bool__(self) -> bool:
        """Whether any logit differed."""
        return self.largest[-1] > 0.0

    def within(self, reach: float) -> float:
        """Return the noise of tokens that are at most this far behind the likeliest."""
        within = (n for most, n in zip(REACHES, self.largest, strict=True) if reach <= most)
        return next(within, self.largest[-1])  # nan, where all are ruled out


NO_NOISE = WidthNoise()


class Deepening:
    """The noise so far. It is measured again whenever the text has doubled: some kernels, flash
    attention's above all, round otherwise in deep contexts.
    """

    def __init__(self, noise: WidthNoise) -> None:
        self.so_far = noise
        self._next_depth = FIRST_DEPTH

    def is_due(self, depth: int) -> bool:
        """Whether a context of this many tokens is deeper than what was measured."""
        return depth >= self._next_depth

    def observe(self, depth: int, noise: WidthNoise) -> None:
        """Take in what was measured at this depth."""
        self.so_far |= noise
        while self._next_depth <= depth:
            self._next_depth *= 2
