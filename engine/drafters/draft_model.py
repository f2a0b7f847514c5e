"""A smaller model of the same vocabulary drafts, token by token.

It keeps its own KV cache in step with the committed tokens and evaluates nothing twice. A rejection
drops its cache to the accepted prefix. After full acceptance two tokens go in together: the last
draft token, which it never fed to itself, and the bonus token. While another drafter is at work it
lags; then it catches up in one batch, whose rows show what it would have drafted, and so how well
it knows this text. Where it lags by more than a batch it reads one in a step and drafts nothing
there, so that the text does not stand still meanwhile. Tokens that were drafted but not verified
are kept as long as the text follows them. How tokens are drawn from its rows is the verifier's to
say. If it fails, the answer goes on without it.

It is told the text alone: of pictures it sees nothing, so behind one its cache's positions are
fewer than the target's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import Logits
from engine.cache.tokens import TokenCache, common_prefix
from engine.drafters import Parts, Unavailable
from engine.drafting.growing import Growing, grow, never
from engine.errors import DecodeError
from engine.prompt.pictures import text_only
from engine.types import Allowance, Draft, Pick, Picker, Step

USES_DRAFT_MODEL = True
SINGLY = 3
"""So few tokens are evaluated one by one where single tokens in a row settle: cheaper than a batch,
and than the single tokens behind it."""


class DraftModel:
    """Drafts over a model's cache; ids from n_common on are never proposed.

    A token has two numbers. position: its place in the text alone, which is that in the cache and
    in `_picked`. at: its place in the context, pictures and all, which the target's noise goes by:
    position + _unseen.
    """

    name = "draft_model"
    members = (name,)

    def __init__(
        self, cache: TokenCache, n_common: int, is_end: Callable[[int], bool] = never
    ) -> None:
        self._cache, self._is_end = cache, is_end
        self._n_common = n_common
        self._picker: Picker | None = None
        self._committed = self._answer = 0  # tokens of the text; and of those the prompt's
        self._unseen = 0  # places of the context that pictures have
        self._text: list[int] = []  # the committed tokens, where some are unseen
        self._picked: dict[int, Pick] = {}  # what was drafted, by position
        self._read_at = -1  # how long the context was when it only read
        self.failure = ""

    @property
    def decode_s(self) -> float:
        """Time spent in the draft model so far."""
        return self._cache.decoder.decode_s

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Keep what the cache shares with the new prompt."""
        self._picker = picker
        self.failure = ""
        text = text_only(context)
        self._unseen = len(context) - len(text)
        self._text = text if self._unseen else []
        self._committed = self._answer = len(text)
        self._picked.clear()
        self._read_at = -1
        try:
            self._cache.align(text)
        except DecodeError:
            self._cache.clear()  # to be evaluated anew, in vain if it fails again

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Draft until the allowance ends, or its context does."""
        return grow([self], context, allowance, self._is_end)

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        """Return what the allowance expects of one token more."""
        cache = self._cache
        position = len(context) - self._unseen + len(draft.tokens)
        if position >= cache.decoder.n_ctx or self._picker is None or self.failure:
            return 0.0
        if self._read_at == len(context):
            return 0.0
        return allowance.outlook(self.name, max(0, position - len(cache.tokens)))

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        """Add one token; none if the model fails, or has more to read than a batch."""
        try:
            if not draft.tokens and self._reads(context, allowance):
                return
            pick, lag = self._pick(context, draft.tokens, allowance)
        except DecodeError as error:
            self._give_up(error)
        else:
            draft.add(self.name, pick.token, pick.confidence, pick.probs)
            allowance.take(self.name, (pick.confidence,), lag)

    def _text_of(self, context: Sequence[int]) -> Sequence[int]:
        """Return the context without its pictures."""
        return self._text if self._unseen else context

    def _reads(self, context: Sequence[int], allowance: Allowance) -> bool:
        """Read a batch of what it has missed, if that is more than one."""
        cache, text = self._cache, self._text_of(context)
        most = cache.decoder.n_batch
        if len(text) - len(cache) <= most:
            return False
        cache.extend(text[len(cache) : len(cache) + most], 0)
        self._read_at = len(context)
        allowance.take(self.name, (), most)
        return True

    def _pick(
        self, context: Sequence[int], drafted: Sequence[int], allowance: Allowance
    ) -> tuple[Pick, int]:
        """Return the token behind `drafted`, kept from earlier or drawn now; and how many tokens
        the cache lacked for it.
        """
        assert self._picker is not None, "begin comes first"
        text, held = self._text_of(context), self._cache.tokens
        position = len(text) + len(drafted)
        if len(held) > len(text):
            self._keep_only(len(text), drafted)
        kept = self._picked.get(position)
        if kept is not None:
            return kept, max(0, position - len(held))
        if len(held) >= position:  # it only read on there, behind a lookup
            self._drop(position - 1)
        lag, n_missed = position - len(held), 0
        if self._picker.keyed and lag > 1 and not drafted:
            n_missed = min(lag - 1, position - self._answer, allowance.hindsight)
        rows = self._evaluate(text, drafted, n_missed + 1)
        if len(rows) > 1:
            self._review(context, rows[:-1, : self._n_common], allowance)
        history = [*self._picker.window(context), *drafted]
        row, at = rows[-1, : self._n_common], position + self._unseen
        pick = self._picked[position] = self._picker.pick(row, history, at)
        return pick, lag

    def _review(self, context: Sequence[int], rows: Logits, allowance: Allowance) -> None:
        """Tell what it would have drafted in the place of the last tokens of `context`.

        rows: [tokens, vocab], the scores of each of them.
        """
        assert self._picker is not None, "begin comes first"
        start = len(context) - len(rows)
        history = self._picker.window(context[:start])
        confidences, hits = [], []
        for at, row in enumerate(rows, start):
            pick = self._picker.pick(row, history, at)
            confidences.append(pick.confidence)
            hits.append(pick.token == context[at])
            history.append(context[at])
        allowance.review(self.name, confidences, hits)

    def observe(self, step: Step) -> None:
        """Drop what was rejected, and keep what was drafted beyond what is committed."""
        try:
            self._observe(step)
        except DecodeError as error:
            self._give_up(error)

    def _observe(self, step: Step) -> None:
        self._keep_only(self._committed, step.tokens)
        self._committed += len(step.tokens)
        if self._unseen:
            self._text.extend(step.tokens)
        if self._cache.rollback.saves:  # the next mark must not stand behind what is committed
            self._cache.keep(min(len(self._cache), self._committed - 1))
            self._picked.clear()

    def _give_up(self, error: DecodeError) -> None:
        """Draft no more in this answer."""
        self.failure = f"The draft model failed, and the answer went on without it. {error}"
        self._picked.clear()
        self._cache.clear()

    def _keep_only(self, start: int, tokens: Sequence[int]) -> None:
        """Drop what contradicts `tokens` at positions start… of the text."""
        held = self._cache.tokens[start : start + len(tokens)]
        if held == list(tokens[: len(held)]):
            return
        self._drop(start + common_prefix(held, tokens))

    def _drop(self, n: int) -> None:
        """Drop from the cache all but n tokens, and the picks that were made behind them."""
        self._cache.keep(n)
        self._picked = {at: pick for at, pick in self._picked.items() if self._committed <= at <= n}

    def _evaluate(self, text: Sequence[int], drafted: Sequence[int], n_rows: int) -> Logits:
        """Evaluate all that is not cached, in one batch if it fits; return the last n_rows rows, or
        those of the last batch if they are fewer.
        """
        cache, n = self._cache, len(text)
        if drafted and len(cache.tokens) == n + len(drafted) - 1:  # most often: its own last token
            return cache.extend(drafted[-1:], 1)
        if cache.rollback.saves and len(cache) <= n:
            logits = self._catch_up(text[len(cache) :], n_rows) if len(cache) < n else None
            cache.mark()
            if logits is not None and not drafted:
                return logits
        pending = [*text[len(cache) :], *drafted[max(0, len(cache) - n) :]]
        return self._catch_up(pending, n_rows)

    def _catch_up(self, pending: Sequence[int], n_rows: int) -> Logits:
        """Evaluate these tokens; return the last rows: [at most n_rows, vocab]."""
        most = self._cache.decoder.n_batch
        if self._cache.decoder.settles > 1 and 1 < len(pending) <= SINGLY:
            rows = [self._cache.extend([token], 1)[0].copy() for token in pending]
            return np.stack(rows[-n_rows:])
        while len(pending) > most:
            self._cache.extend(pending[:most], 0)
            pending = pending[most:]
        return self._cache.extend(pending, min(n_rows, len(pending)))


def build(parts: Parts) -> DraftModel:
    """Build it. Raises Unavailable without a draft model."""
    if parts.draft_cache is None:
        raise Unavailable("there is no draft model; give one with --model-draft")
    return DraftModel(parts.draft_cache, parts.n_common, parts.is_end)
