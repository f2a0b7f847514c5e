"""The policy of --draft-tokens N: the same draft length at every step, whatever it costs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.costs.curves import CostCurves
from engine.types import Draft, Step

FIXED_CHANCE = 0.8
"""How likely a draft model's next token counts as right, beside tokens that are known already."""


class FixedAllowance:
    """Exactly `limit` tokens, as far as drafters have any. curves: if known, tell what drafting
    should take.
    """

    hindsight = 0

    def __init__(self, limit: int, curves: CostCurves | None = None) -> None:
        self.limit = limit
        self.drafting_s = 0.0
        self._taken = 0
        self._curves = curves

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        """Return all that there is room for, and how many of them will be right."""
        n = min(len(confidences), self.limit - self._taken)
        sure, expected = 1.0, 0.0
        for confidence in confidences[:n]:
            sure *= confidence
            expected += sure
        return n, expected

    def outlook(self, drafter: str, lag: int) -> float:
        """Return how many tokens would be right if a model drafted the rest."""
        left = self.limit - self._taken
        return FIXED_CHANCE * (1 - FIXED_CHANCE**left) / (1 - FIXED_CHANCE)

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Count them."""
        self._taken += len(confidences)
        if lag and self._curves is not None:
            self.drafting_s += self._curves.draft_s(lag)

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Learn nothing."""

    def review(self, drafter: str, confidences: Sequence[float], hits: Sequence[bool]) -> None:
        """Learn nothing."""

    def keep(self, proposed: Draft) -> int:
        """Return all of them."""
        return len(proposed.tokens)

    def width(self, rows: int) -> int:
        """Return no more."""
        return rows


class FixedLength:
    """The same draft length at every step. curves: are kept up to date, though it needs none, for
    what plain decoding would take is told by them.
    """

    def __init__(self, length: int, curves: CostCurves | None = None) -> None:
        self._length, self._curves = length, curves
        self._depth = 0
        self._is_first = True  # that step holds the prefill

    def allow(self, room: int, depth: int) -> FixedAllowance:
        """Grant the fixed length, or what there is room for."""
        self._depth = depth
        return FixedAllowance(max(0, min(self._length, room)), self._curves)

    def observe(self, step: Step) -> None:
        """Learn nothing of drafts, but how fast the machine is here and now."""
        n = len(step.draft.tokens)
        if n and not self._is_first and self._curves is not None and step.batch == n + 1:
            self._curves.observe_target(step.batch, self._depth, step.step_s - step.draft_s)
        self._is_first = False
