"""The two largest logits of a row: most rows leave no choice, and these show it."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from engine.arrays import Row
from engine.errors import DecodeError
from engine.sampling.selection import SAFE

ROUNDING = 1e-3
"""Logits that no rounding moves a cut by."""


class TopTwo(msgspec.Struct, frozen=True):
    """best: the id of the largest logit, the lowest one among equals; top, second: the logits."""

    best: int
    top: float
    second: float

    @staticmethod
    def of(row: Row) -> TopTwo:
        """Look at one row. It is changed for a while."""
        best = int(row.argmax())
        top = row.item(best)
        row[best] = -np.inf
        second = row.item(row.argmax())  # twice as quick as max(), which detours through Python
        row[best] = top
        return TopTwo(best, top, second)

    @staticmethod
    def of_guess(row: Row) -> TopTwo:
        """The same of a draft model's row. Raises DecodeError if it holds no finite numbers."""
        found = TopTwo.of(row)
        if not math.isfinite(found.top):
            raise DecodeError("It computed no numbers (NaN).")
        return found

    def is_alone(self, min_p: float, loosened: float = 0.0) -> bool:
        """Whether min-p surely leaves the largest alone, also when it is loosened so far."""
        return min_p > 0.0 and self.second < self.top + math.log(min_p) - ROUNDING - loosened

    def is_close(self, margin: float) -> bool:
        """Whether the next is as large, or within the margin."""
        return self.second >= self.top - margin

    @property
    def confidence(self) -> float:
        """The largest logit's probability if there were only these two: an upper bound of its
        softmax probability, and cheap; what it is worth is learnt (policy/trust.py).
        """
        return 1.0 / (1.0 + math.exp(max(self.second - self.top, -SAFE)))

    def confidence_of(self, logit: float) -> float:
        """The chance of a token with this logit, as far as these two tell."""
        return self.confidence * math.exp(max(logit - self.top, -SAFE))
