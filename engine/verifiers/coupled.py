"""Coupled verification: the target draws every token itself, with noise keyed by position.

Row by row, the target's token is drawn and compared with the draft's; the first difference ends the
step. What is emitted is a function of target, prompt, settings and seed alone, so no drafter can
change one token of it (Daliri, Musco, Suresh, arXiv 2408.07978). Drafters draw with the same noise,
so that their tokens tend to be the target's: with TV the total variation distance of the two
distributions, at least with probability (1 - TV) / (1 + TV). As only the target's draw counts, the
drafter's distribution may be bent to guess better (sampling/sharpness.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.arrays import Logits, Row
from engine.sampling.sampler import Sampler
from engine.sampling.sharpness import MOST_COMPARED, Sharpness
from engine.sampling.top_two import TopTwo
from engine.sampling.truncation import Support
from engine.types import Draft, Pick, Verdict

LEARN_EVERY = 4
"""Steps with a choice from one comparison of both distributions to the next. One in each would take
about as much time as its better guesses save.
"""


class Coupled:
    """Verifies by drawing with `sampler`. sharpness: where bending is learnt; None: no bending."""

    name = "coupled"
    cuts = keyed = True

    def __init__(self, sampler: Sampler, sharpness: Sharpness | None = None) -> None:
        self._sampler = sampler
        self._sharpness = sharpness
        self._drafts: dict[int, Support] = {}
        self._unlearnt = LEARN_EVERY  # steps; the first one is learnt from

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the end of `context` that a row's penalties look back to."""
        return self._sampler.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Draw a draft token from the drafter's row with the noise that the target will use."""
        sampler, top = self._sampler, TopTwo.of_guess(row)
        if sampler.leaves_only(top):
            return Pick(top.best, top.confidence)
        if self._sharpness is None or not sampler.is_sparse(len(row)):
            token = sampler.pick(row, history, position)
        else:
            draft = sampler.support_of(row, history, None if sampler.adjusts else top)
            token = sampler.pick_bent(draft, self._sharpness.factor, position)
            if len(draft.ids) > 1:
                self._drafts[position] = draft
        return Pick(token, top.confidence_of(float(row[token])))

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Return the accepted draft tokens and one more: corrected, or the bonus token.

        context: all committed tokens; logits: [len(draft.tokens) + 1, vocab].
        """
        if self._sampler.draws_together:
            emitted, near = self._sampler.draw_all(logits, len(context), draft.tokens)
            if self._drafts:
                self._learn(context, draft, emitted, logits)
            return Verdict(tuple(emitted), len(emitted) - 1, tuple(near))
        return self._verify_one_by_one(context, draft, logits)

    def _verify_one_by_one(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Verify where a draw depends on the ones before it."""
        history = self._sampler.window(context)
        emitted: list[int] = []
        near_ties: list[int] = []
        for i in range(len(logits)):
            drawn = self._sampler.draw(logits[i], history, len(context) + i)
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
        """Now and then, compare both distributions where a token was tested that left a choice."""
        self._unlearnt += 1
        if self._sharpness and self._unlearnt >= LEARN_EVERY:
            for i in range(min(len(emitted), len(draft.tokens))):
                proposed = self._drafts.get(len(context) + i)
                if proposed and len(proposed.ids) <= MOST_COMPARED:
                    history = [*self._sampler.window(context), *emitted[:i]]
                    target = self._sampler.distribution(logits[i], history)
                    self._sharpness.observe(target, self._sampler.over(proposed))
                    self._unlearnt = 0
                    break
        self._drafts.clear()


def build(sampler: Sampler, sharpness: Sharpness | None = None) -> Coupled:
    """Build it."""
    return Coupled(sampler, sharpness)
