"""Coupled verification: the target draws every token itself, with noise keyed by position.

Row by row, the target's token is drawn and compared with the draft's; the first difference ends the
step. What is emitted is a function of target, prompt, settings and seed alone, so no drafter can
change one token of it (Daliri, Musco, Suresh, arXiv 2408.07978). Drafters draw with the same noise,
so that their tokens tend to be the target's: with TV the total variation distance of the two
distributions, at least with probability (1 - TV) / (1 + TV). As only the target's draw counts, the
drafter's distribution may be bent to guess better (sharpness.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.sampling import Distribution, Sampler
from engine.sharpness import MOST_COMPARED, Sharpness
from engine.types import Draft, Logits, Pick, Row, Verdict

LEARN_EVERY = 8
"""Steps from one comparison of both distributions to the next, once there were many."""


class Coupled:
    """Verifies by drawing with `sampler`. sharpness: where bending is learnt; None: no bending."""

    name = "coupled"
    cuts = True

    def __init__(self, sampler: Sampler, sharpness: Sharpness | None = None) -> None:
        self._sampler = sampler
        self._sharpness = sharpness
        self._drafts: dict[int, Distribution] = {}
        self._steps = 0

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the end of `context` that a row's penalties look back to."""
        return self._sampler.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Draw a draft token from the drafter's row with the noise that the target will use."""
        if self._sharpness is None or not self._sampler.is_sparse(len(row)):
            token = self._sampler.pick(row, history, position)
        else:
            draft = self._drafts[position] = self._sampler.distribution(row, history)
            token = self._sampler.pick_bent(draft, self._sharpness.factor, position)
        return Pick(token, self._sampler.confidence(row, token))

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Return the accepted draft tokens and one more: corrected, or the bonus token.

        context: all committed tokens; logits: [len(draft.tokens) + 1, vocab].
        """
        history = self._sampler.window(context)
        emitted: list[int] = []
        near_ties: list[int] = []
        for i, row in enumerate(logits):
            drawn = self._sampler.draw(row, history, len(context) + i)
            emitted.append(drawn.token)
            history.append(drawn.token)
            if drawn.near_tie:
                near_ties.append(i)
            if i == len(draft.tokens) or drawn.token != draft.tokens[i]:
                break
        if self._drafts:
            self._learn(context, draft, emitted, logits)
        return Verdict(tuple(emitted), len(emitted) - 1, tuple(near_ties))

    def _learn(
        self, context: Sequence[int], draft: Draft, emitted: Sequence[int], logits: Logits
    ) -> None:
        """Compare both distributions at tested positions: always at first, later now and then."""
        self._steps += 1
        if self._sharpness and (self._sharpness.is_young or self._steps % LEARN_EVERY == 0):
            for i in range(min(len(emitted), len(draft.tokens))):
                proposed = self._drafts.get(len(context) + i)
                if proposed and 1 < len(proposed.ids) <= MOST_COMPARED:
                    history = self._sampler.window([*context, *emitted[:i]])
                    target = self._sampler.distribution(logits[i], history)
                    self._sharpness.observe(target, proposed)
        self._drafts.clear()


def build(sampler: Sampler, sharpness: Sharpness | None = None) -> Coupled:
    """Build it."""
    return Coupled(sampler, sharpness)
