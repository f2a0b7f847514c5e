"""A smaller model of the same vocabulary drafts, token by token, with the target's own noise.

It keeps its own KV cache in step with the committed tokens and evaluates nothing twice: a rejection
drops its cache to the accepted prefix; after full acceptance the last draft token, which it never
fed to itself, and the bonus token go in together; when somebody else drafted it lags, and catches
up in one batch. Drawing with the target's noise is what makes its tokens coincide with the target's
at any temperature (see verify.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cache import TokenCache
from engine.drafters import Parts, Unavailable
from engine.sampling import Sampler
from engine.types import NO_DRAFT, Allowance, Draft, Logits, Step

USES_DRAFT_MODEL = True


class DraftModel:
    """Drafts over a `Decoder`; ids from n_common on are never proposed."""

    name = "draft_model"
    members = (name,)

    def __init__(self, parts: Parts) -> None:
        if parts.draft_decoder is None:
            raise Unavailable("there is no draft model; give one with --model-draft")
        self._decoder = parts.draft_decoder
        self._cache = TokenCache(parts.draft_decoder)
        self._n_common = parts.n_common
        self._sampler: Sampler | None = None
        self._committed = 0

    @property
    def decode_s(self) -> float:
        """Time spent in the draft model so far."""
        return self._decoder.decode_s

    def begin(self, context: Sequence[int], sampler: Sampler) -> None:
        """Keep what the cache shares with the new prompt."""
        self._sampler = sampler
        self._committed = len(context)
        self._cache.align(context)

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Draft until the allowance ends, or its context does."""
        room = self._decoder.n_ctx - len(context)
        limit = min(allowance.limit, room)
        if self._sampler is None or limit <= 0:
            return NO_DRAFT
        window = self._sampler.settings.repeat_last_n
        history = list(context[-window:]) if window else []
        tokens: list[int] = []
        confidences: list[float] = []
        row = self._catch_up(context)[0, : self._n_common]
        sure = 1.0
        while True:
            token = self._sampler.pick(row, history, len(context) + len(tokens))
            tokens.append(token)
            confidences.append(self._sampler.confidence(row, token))
            sure *= confidences[-1]
            if len(tokens) == limit or not allowance.go_on(sure):
                return Draft(tuple(tokens), self.name, tuple(confidences))
            history.append(token)
            row = self._cache.extend([token], 1)[0, : self._n_common]

    def observe(self, step: Step) -> None:
        """Drop what was rejected of its own draft."""
        mine = step.accepted if step.draft.drafter == self.name else 0
        self._cache.keep(min(len(self._cache), self._committed + mine))
        self._committed += len(step.tokens)

    def _catch_up(self, context: Sequence[int]) -> Logits:
        """Evaluate all of the context that is not cached; return the last row: [1, vocab]."""
        while len(context) - len(self._cache) > self._decoder.n_batch:
            start = len(self._cache)
            self._cache.extend(context[start : start + self._decoder.n_batch], 0)
        return self._cache.extend(context[len(self._cache) :], 1)


def build(parts: Parts) -> DraftModel:
    """Build it. Raises Unavailable without a draft model."""
    return DraftModel(parts)
