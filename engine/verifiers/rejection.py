"""Rejection verification, exactly as in Leviathan, Kalman, Matias, arXiv 2211.17192, algorithm 1.

A draft token x that was drawn from draft_probs is accepted with probability
min(1, target_probs[x] / draft_probs[x]); at the first rejection a token is drawn from
norm(max(0, target_probs - draft_probs)), and if all are accepted a bonus token from the target.
What is emitted follows the target's law exactly, but which text it is depends on the drafts too.

draft_probs is the very distribution that the token was drawn from, handed on with the draft; a
drafter without one proposes with certainty (a one-hot distribution). Drafting, accepting and the
target's own draws have a random stream each: sharing one would bias the law. At temperature 0 every
distribution is one-hot, and this is coupled verification.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.sampling import Distribution, Sampler
from engine.sharpness import Sharpness
from engine.support import Floats, Ids
from engine.types import Draft, Logits, Pick, Row, Verdict
from engine.verifiers.coupled import Coupled


class Rejection:
    """Verifies by accepting and rejecting against `sampler`'s distributions."""

    name = "rejection"

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._certain = Coupled(sampler) if sampler.settings.temperature == 0.0 else None
        streams = np.random.SeedSequence(sampler.settings.seed).spawn(3)
        self._drafting, self._accepting, self._own = map(np.random.default_rng, streams)

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the end of `context` that a row's penalties look back to."""
        return self._sampler.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Draw a draft token from the drafter's row, and say from what distribution."""
        probs = self._sampler.distribution(row, history)
        token = int(probs.ids[_drawn(probs.probs, self._drafting.random())])
        return Pick(token, self._sampler.confidence(row, token), probs)

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Return the accepted draft tokens and one more: corrected, or the bonus token.

        context: all committed tokens; logits: [len(draft.tokens) + 1, vocab].
        """
        if self._certain is not None:
            return self._certain.verify(context, draft, logits)
        history = self._sampler.window(context)
        near_ties: list[int] = []
        for i, token in enumerate(draft.tokens):
            target = self._sampler.distribution(logits[i], history)
            proposed = draft.probs[i] if draft.probs else None
            target_prob = target.prob(token)
            draft_prob = proposed.prob(token) if proposed else 1.0
            chance = self._accepting.random()
            if self._is_close(target_prob, draft_prob * chance):
                near_ties.append(i)
            if draft_prob * chance >= target_prob:
                corrected = self._draw(target.ids, _residual(target, proposed, token))
                return Verdict((*draft.tokens[:i], corrected), i, tuple(near_ties))
            history.append(token)
        target = self._sampler.distribution(logits[len(draft.tokens)], history)
        bonus = self._draw(target.ids, target.probs)
        return Verdict((*draft.tokens, bonus), len(draft.tokens), tuple(near_ties))

    def _draw(self, ids: Ids, probs: Floats) -> int:
        return int(ids[_drawn(probs, self._own.random())])

    def _is_close(self, target_prob: float, bar: float) -> bool:
        """Whether logits that differ by the width noise could turn the decision."""
        if target_prob == 0.0 or bar == 0.0:
            return False
        margin = self._sampler.tie_margin / self._sampler.settings.temperature
        return abs(math.log(target_prob / bar)) < margin


def _residual(target: Distribution, proposed: Distribution | None, token: int) -> Floats:
    """Return max(0, target_probs - draft_probs) on the target's ids, not normalised."""
    if proposed is None:
        return np.where(target.ids == token, 0.0, target.probs)
    order = np.argsort(proposed.ids)
    ids, probs = proposed.ids[order], proposed.probs[order]
    at = np.minimum(np.searchsorted(ids, target.ids), len(ids) - 1)
    return np.maximum(target.probs - np.where(ids[at] == target.ids, probs[at], 0.0), 0.0)


def _drawn(probs: Floats, chance: float) -> int:
    """Return an index drawn in proportion to `probs`, by inversion; chance: uniform in [0, 1)."""
    held = np.cumsum(probs)
    return min(int(np.searchsorted(held, chance * held[-1], side="right")), len(probs) - 1)


def build(sampler: Sampler, sharpness: Sharpness | None = None) -> Rejection:
    """Build it; the drafter's distribution is taken as it is."""
    return Rejection(sampler)
