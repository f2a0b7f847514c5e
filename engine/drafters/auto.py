"""The cascade: at every token of a draft, whoever promises most goes on.

Lookup and draft model are weighed by what they bring, less what they cost on this machine; a lookup
is extended by the draft model and the other way round (drafting/growing.py). Who did not draft
observes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.drafters import Parts, Unavailable, draft_model, lookup
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.drafting.growing import grow, never
from engine.types import Allowance, Draft, Picker, Step

USES_DRAFT_MODEL = True


class Cascade:
    """Drafts with all of its drafters together."""

    name = "auto"

    def __init__(
        self,
        drafters: Sequence[Lookup | DraftModel],
        is_end: Callable[[int], bool] = never,
    ) -> None:
        self.drafters, self._is_end = tuple(drafters), is_end

    @property
    def members(self) -> tuple[str, ...]:
        """The names of its drafters."""
        return tuple(drafter.name for drafter in self.drafters)

    @property
    def failure(self) -> str:
        """What befell the first of them that failed."""
        return next(filter(None, (drafter.failure for drafter in self.drafters)), "")

    @property
    def decode_s(self) -> float:
        """Time spent in all of their models so far."""
        return sum(drafter.decode_s for drafter in self.drafters)

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Begin all of them."""
        for drafter in self.drafters:
            drafter.begin(context, picker)

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Let them draft, token by token, whoever promises most."""
        return grow(self.drafters, context, allowance, self._is_end)

    def observe(self, step: Step) -> None:
        """Let all of them learn, also those who lost."""
        for drafter in self.drafters:
            drafter.observe(step)


def build(parts: Parts) -> Cascade:
    """Build it from what the pair can have."""
    try:
        return Cascade([lookup.build(parts), draft_model.build(parts)], parts.is_end)
    except Unavailable:
        return Cascade([lookup.build(parts)], parts.is_end)
