"""The cascade: the lookup where it has a long match, the draft model elsewhere.

A simple rule for now: copying is cheap and usually right once several tokens match; a draft model
sees more, at a price. Who did not draft still observes.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.drafters import Parts, Unavailable, draft_model, lookup
from engine.types import NO_DRAFT, Allowance, Draft, Drafter, Picker, Step

USES_DRAFT_MODEL = True
SURE = lookup.match_confidence(4)


class Cascade:
    """Asks its drafters in turn; the first who is sure enough of its first token drafts."""

    name = "auto"

    def __init__(self, drafters: Sequence[Drafter], sure: Sequence[float]) -> None:
        """sure: [len(drafters)], the confidence in its first token that each must have."""
        self.drafters = tuple(drafters)
        self._sure = tuple(sure)

    @property
    def members(self) -> tuple[str, ...]:
        """The names of its drafters."""
        return tuple(drafter.name for drafter in self.drafters)

    @property
    def decode_s(self) -> float:
        """Time spent in all of their models so far."""
        return sum(drafter.decode_s for drafter in self.drafters)

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Begin all of them."""
        for drafter in self.drafters:
            drafter.begin(context, picker)

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Return the first draft whose drafter is sure enough of it."""
        for drafter, sure in zip(self.drafters, self._sure, strict=True):
            draft = drafter.propose(context, allowance)
            if draft.tokens and draft.confidences[0] >= sure:
                return draft
        return NO_DRAFT

    def observe(self, step: Step) -> None:
        """Let all of them learn, also those who lost."""
        for drafter in self.drafters:
            drafter.observe(step)


def build(parts: Parts) -> Cascade:
    """Build it from what the pair can have; without a draft model the lookup may be less sure."""
    try:
        return Cascade([lookup.build(parts), draft_model.build(parts)], [SURE, 0.0])
    except Unavailable:
        return Cascade([lookup.build(parts)], [0.0])
