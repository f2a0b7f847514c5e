"""Rejection verification, exactly as in Leviathan, Kalman, Matias, arXiv 2211.17192, algorithm 1.

A draft token x that was drawn from draft_probs is accepted with probability
min(1, target_probs[x] / draft_probs[x]); at the first rejection a token is drawn from
norm(max(0, target_probs - draft_probs)), and if all are accepted a bonus token from the target.
What is emitted follows the target's law exactly, but which text it is depends on the drafts too.

draft_probs is the very distribution that the token was drawn from, handed on with the draft; a
drafter without one proposes with certainty (a one-hot distribution). Drafting, accepting and the
target's own draws have a random stream each: sharing one would bias the law. At temperature 0 every
distribution is one-hot, and this is coupled verification.

Near-ties are decisions that the width noise could have turned by moving probabilities, or by taking
the draft's token into the support or out. Not covered: noise in other tokens that rescales all
probabilities, and larger noise of tokens that a bias lifts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats, Ids, Logits, Row
from engine.sampling.sampler import Distribution, Sampler
from engine.sampling.sharpness import Sharpness
from engine.sampling.top_two import TopTwo
from engine.types import Draft, Pick, Verdict
from engine.verifiers.coupled import Coupled


class Rejection:
    """Verifies by accepting and rejecting against `sampler`'s distributions."""

    name = "rejection"
    cuts = keyed = False

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
        top = TopTwo.of_guess(row)
        probs = self._sampler.distribution(row, history)
        token = int(probs.ids[_drawn(probs.probs, self._drafting.random())])
        return Pick(token, top.confidence_of(float(row[token])), probs)

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
            close = self._is_close(target_prob, draft_prob * chance)
            if close or self._sampler.at_rim(logits[i], history, token):
                near_ties.append(i)
            if draft_prob * chance >= target_prob:
                residual = _residual(target, proposed, token)
                corrected, close = self._draw(target.ids, residual, 3.0 * self._shift)
                if close and i not in near_ties:
                    near_ties.append(i)
                return Verdict((*draft.tokens[:i], corrected), i, tuple(near_ties))
            history.append(token)
        target = self._sampler.distribution(logits[len(draft.tokens)], history)
        bonus, close = self._draw(target.ids, target.probs, self._shift)
        if close:
            near_ties.append(len(draft.tokens))
        return Verdict((*draft.tokens, bonus), len(draft.tokens), tuple(near_ties))

    @property
    def _margin(self) -> float:
        """How far a log-probability may move against another by the width noise."""
        return self._sampler.tie_margin / self._sampler.settings.temperature

    @property
    def _shift(self) -> float:
        """How much probability the width noise may move: total variation is at most this.

        A residual's sums move by up to twice that, and its total by as much again.
        """
        return math.tanh(self._margin / 4.0)

    def _draw(self, ids: Ids, probs: Floats, reach: float) -> tuple[int, bool]:
        """Return a token drawn in proportion to `probs`, not normalised, and whether another would
        have been if sums of `probs` moved by `reach`.
        """
        chance = self._own.random()
        index = _drawn(probs, chance)
        held = np.concatenate(([0.0], np.cumsum(probs)))
        at = chance * held[-1]
        borders = held[index : index + 2]
        inner = borders[(borders > 0.0) & (borders < held[-1])]
        return int(ids[index]), bool((np.abs(inner - at) < reach).any())

    def _is_close(self, target_prob: float, bar: float) -> bool:
        """Whether logits that differ by the width noise could turn the decision."""
        if target_prob == 0.0 or bar == 0.0:
            return False
        return abs(math.log(target_prob / bar)) < self._margin


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
