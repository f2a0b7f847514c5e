"""How a draft grows: whoever promises most adds to it, as long as anybody promises anything.

A lookup knows its tokens in advance, a draft model has to be run for each; the allowance values
both alike, in tokens less what they cost. So a lookup is extended by a draft model where it ends,
and the draft model's tokens by a lookup as soon as they lead to something that was said before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from engine.types import NO_DRAFT, Allowance, Draft

if TYPE_CHECKING:
    from engine.sampling.sampler import Distribution


class Growing:
    """A draft in the making."""

    __slots__ = ("confidences", "drafters", "probs", "tokens")

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.drafters: list[str] = []
        self.confidences: list[float] = []
        self.probs: list[Distribution | None] = []

    def __len__(self) -> int:
        return len(self.tokens)

    def add(
        self, drafter: str, token: int, confidence: float, probs: Distribution | None = None
    ) -> None:
        """Add a token."""
        self.tokens.append(token)
        self.drafters.append(drafter)
        self.confidences.append(confidence)
        self.probs.append(probs)

    def done(self) -> Draft:
        """Return it as it is."""
        if not self.tokens:
            return NO_DRAFT
        first = self.drafters[0]
        is_mixed = self.drafters.count(first) != len(self.drafters)
        return Draft(
            tuple(self.tokens),
            first,
            tuple(self.confidences),
            tuple(self.probs),
            tuple(self.drafters) if is_mixed else (),
        )


class Source(Protocol):
    """A drafter that can go on where another one's draft ends."""

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        """Return what adding to the draft is expected to gain; 0.0 or less: add nothing."""

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        """Add one token or more, and have the allowance take them.

        If it adds nothing, outlook must return 0.0 from then on, or `grow` never ends.
        """


def never(token: int) -> bool:
    """No token ends an answer."""
    return False


def grow(
    sources: Sequence[Source],
    context: Sequence[int],
    allowance: Allowance,
    is_end: Callable[[int], bool] = never,
) -> Draft:
    """Return a draft made by these sources; behind a token that ends the answer there is none."""
    draft = Growing()
    while len(draft) < allowance.limit and not (draft.tokens and is_end(draft.tokens[-1])):
        best, most = None, 0.0
        for source in sources:
            promised = source.outlook(context, draft, allowance)
            if promised > most:
                best, most = source, promised
        if best is None:
            break
        best.extend(context, draft, allowance)
    return draft.done()
