"""How many tokens to draft now. Pure: it sees steps, not models.

`FixedLength` drafts the same number at every step, and stops early where the drafter itself doubts
that all of its draft is right. `Measured` decodes a step plainly now and then, so that the gain
over plain decoding is known under the load that the machine has now.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Allowance, Policy, Step

DEFAULT_LENGTH = 5
DOUBT = 0.35
PLAIN_STEPS, PLAIN_EVERY = (1, 2), 64


@dataclass(frozen=True, slots=True)
class FixedAllowance:
    """At most `limit` tokens, ending where the draft so far is less sure than `min_confidence`."""

    limit: int
    min_confidence: float

    def go_on(self, confidence: float) -> bool:
        """Whether to draft on behind a draft of this confidence."""
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


class Measured:
    """Another policy, but for two plain steps in PLAIN_EVERY, as early as the prefill is over.

    Two, because the first one behind a draft pays for the change of batch width.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._steps = 0

    def allow(self, room: int) -> Allowance:
        """Grant nothing where a plain step is due, else what the other policy grants."""
        due = self._steps % PLAIN_EVERY in PLAIN_STEPS
        return self._policy.allow(0 if due else room)

    def observe(self, step: Step) -> None:
        """Count, and let the other policy learn."""
        self._steps += 1
        self._policy.observe(step)
