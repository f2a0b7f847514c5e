"""How often draft tokens are accepted: coupled drafts, top-token drafts, rejection sampling.

`expected` is no count but the exact chance, averaged over the positions of given answers, with
p the target's processed distribution there and q the draft model's:

    coupled      what sampling/sharpness.py says, with q bent as it is in use
    top token    p at the largest of q
    rejection    sum_i min(p_i, q_i) = 1 - TV(p, q)            (arXiv 2211.17192, theorem 3.5)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Logits, Row
from engine.sampling.sampler import Distribution, Sampler
from engine.sampling.sharpness import chances
from engine.sampling.top_two import TopTwo
from engine.types import Decoder, Draft, Pick, Verdict
from engine.verifiers.coupled import Coupled

WAYS = ("coupled", "top token", "rejection")


class TopToken:
    """Coupled verification of drafts that are the draft model's likeliest tokens."""

    name = "top token"
    cuts = keyed = True

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._coupled = Coupled(sampler)

    def window(self, context: Sequence[int]) -> list[int]:
        """As the sampler says."""
        return self._sampler.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Take the likeliest token."""
        token = int(self._sampler.distribution(row, history).ids[0])
        return Pick(token, TopTwo.of(row).confidence_of(float(row[token])))

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Verify as always."""
        return self._coupled.verify(context, draft, logits)


def exact(target: Distribution, draft: Distribution, factor: float) -> tuple[float, float, float]:
    """Return the chance that a draft token is accepted, in the order of WAYS."""
    coupled = float(chances(target, draft, np.array([factor]))[0])
    top_token = target.prob(int(draft.ids[draft.probs.argmax()]))
    _, in_target, in_draft = np.intersect1d(
        target.ids, draft.ids, assume_unique=True, return_indices=True
    )
    rejection = float(np.minimum(target.probs[in_target], draft.probs[in_draft]).sum())
    return coupled, top_token, rejection


def rows_of(decoder: Decoder, tokens: Sequence[int], first: int) -> Logits:
    """Return the rows that score tokens[first:], evaluated in wide batches: [n, vocab]."""
    decoder.drop(0)
    rows = []
    for start in range(0, len(tokens) - 1, decoder.n_batch):
        end = min(start + decoder.n_batch, len(tokens) - 1)
        n_wanted = min(end - start, max(0, end - first + 1))
        rows.append(decoder.decode(tokens[start:end], start, n_wanted).copy())
    decoder.drop(0)
    return np.concatenate(rows)
