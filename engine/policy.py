"""How many tokens to draft now. Pure: it sees steps, not models.

`FixedLength` drafts the same number at every step, and stops early where the drafter itself is in
doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Step

DEFAULT_LENGTH = 4
DOUBT = 0.35


@dataclass(frozen=True, slots=True)
class FixedAllowance:
    """At most `limit` tokens, ending behind the first one less likely than `min_confidence`."""

    limit: int
    min_confidence: float

    def go_on(self, confidence: float) -> bool:
        """Whether to draft on behind a token of this confidence."""
        return confidence >= self.min_confidence


class FixedLength:
    """The same draft length at every step; min_confidence 0 never stops inside a draft."""

    def __init__(self, length: int = DEFAULT_LENGTH, min_confidence: float = DOUBT) -> None:
        self._length = length
        self._min_confidence = min_confidence

    def allow(self, room: int) -> FixedAllowance:
        """Grant the fixed length, or what there is room for."""
        return FixedAllowance(max(0, min(self._length, room)), self._min_confidence)

    def observe(self, step: Step) -> None:
        """Learn nothing: the length is fixed."""
