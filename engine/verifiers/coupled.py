"""Coupled verification: the target draws every token itself, with noise keyed by position.

Row by row, the target's token is drawn and compared with the draft's; the first difference ends the
step. What is emitted is a function of target, prompt, settings and seed alone, so no drafter can
change one token of it (Daliri, Musco, Suresh, arXiv 2408.07978). Drafters draw with the same noise,
which makes their tokens coincide with the target's as often as the two distributions allow.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.sampling import Sampler
from engine.types import Draft, Logits, Pick, Row, Verdict


class Coupled:
    """Verifies by drawing with `sampler`."""

    name = "coupled"

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the end of `context` that a row's penalties look back to."""
        return self._sampler.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Draw a draft token from the drafter's row with the noise that the target will use."""
        token = self._sampler.pick(row, history, position)
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
        return Verdict(tuple(emitted), len(emitted) - 1, tuple(near_ties))


def build(sampler: Sampler) -> Coupled:
    """Build it."""
    return Coupled(sampler)
