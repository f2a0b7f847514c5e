"""A smaller model of the same vocabulary drafts, token by token.

It keeps its own KV cache in step with the committed tokens and evaluates nothing twice: a rejection
drops its cache to the accepted prefix; after full acceptance the last draft token, which it never
fed to itself, and the bonus token go in together; when somebody else drafted it lags, and catches
up in one batch. How its tokens are drawn from its rows is the verifier's to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cache import TokenCache
from engine.drafters import Parts, Unavailable
from engine.types import NO_DRAFT, Allowance, Draft, Logits, Pick, Picker, Step

USES_DRAFT_MODEL = True


class DraftModel:
    """Drafts over a `Decoder`; ids from n_common on are never proposed."""

    name = "draft_model"
    members = (name,)

    def __init__(self, parts: Parts) -> None:
        if parts.draft_decoder is None:
            raise Unavailable("there is no draft model; give one with --model-draft")
        self._decoder = parts.draft_decoder
        self._cache = TokenCache(parts.draft_decoder, parts.draft_rollback)
        self._n_common = parts.n_common
        self._picker: Picker | None = None
        self._committed = 0

    @property
    def decode_s(self) -> float:
        """Time spent in the draft model so far."""
        return self._decoder.decode_s

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Keep what the cache shares with the new prompt."""
        self._picker = picker
        self._committed = len(context)
        self._cache.align(context)

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Draft until the allowance ends, or its context does."""
        room = self._decoder.n_ctx - len(context)
        limit = min(allowance.limit, room)
        if self._picker is None or limit <= 0:
            return NO_DRAFT
        history = self._picker.window(context)
        picks: list[Pick] = []
        row = self._catch_up(context)[0, : self._n_common]
        self._cache.mark()
        sure = 1.0
        while True:
            pick = self._picker.pick(row, history, len(context) + len(picks))
            picks.append(pick)
            sure *= pick.confidence
            if len(picks) == limit or not allowance.go_on(sure):
                return self._draft(picks)
            history.append(pick.token)
            row = self._cache.extend([pick.token], 1)[0, : self._n_common]

    def observe(self, step: Step) -> None:
        """Drop what was rejected of its own draft."""
        mine = step.accepted if step.draft.drafter == self.name else 0
        self._cache.keep(min(len(self._cache), self._committed + mine))
        self._committed += len(step.tokens)

    def _draft(self, picks: Sequence[Pick]) -> Draft:
        return Draft(
            tuple(pick.token for pick in picks),
            self.name,
            tuple(pick.confidence for pick in picks),
            tuple(pick.probs for pick in picks),
        )

    def _catch_up(self, context: Sequence[int]) -> Logits:
        """Evaluate all of the context that is not cached; return the last row: [1, vocab]."""
        while len(context) - len(self._cache) > self._decoder.n_batch:
            start = len(self._cache)
            self._cache.extend(context[start : start + self._decoder.n_batch], 0)
        return self._cache.extend(context[len(self._cache) :], 1)


def build(parts: Parts) -> DraftModel:
    """Build it. Raises Unavailable without a draft model."""
    return DraftModel(parts)
