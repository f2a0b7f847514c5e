"""The policy of --draft-tokens N: the same draft length at every step, whatever it costs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.types import Draft, Step

FIXED_CHANCE = 0.8
"""How likely a draft model's next token counts as right, beside tokens that are known already."""


class FixedAllowance:
    """Exactly `limit` tokens, as far as drafters have any."""

    hindsight = 0

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._taken = 0

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
    """The same draft length at every step."""

    def __init__(self, length: int) -> None:
        self._length = length

    def allow(self, room: int, depth: int) -> FixedAllowance:
        """Grant the fixed length, or what there is room for."""
        return FixedAllowance(max(0, min(self._length, room)))

    def observe(self, step: Step) -> None:
        """Learn nothing: the length is fixed."""
