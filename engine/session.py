"""The committed tokens and the target's KV cache; their only owner.

Invariant between steps: the cache holds every committed token but those still to be evaluated,
which after the first step is exactly the last one. Between turns the longest common prefix stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from engine.arrays import Logits
from engine.cache.rollback import Drop, Kind
from engine.cache.tokens import TokenCache
from engine.errors import DecodeError, PromptTooLong
from engine.prompt.pictures import Sight
from engine.sampling.width_noise import WidthNoise
from engine.types import Decoder

WIDTH = 8
"""Batch width that is compared with 1."""


class Session:
    """One conversation's tokens over one decoder. sight: None where they never have pictures."""

    def __init__(self, decoder: Decoder, rollback: Kind = Drop, sight: Sight | None = None) -> None:
        self.tokens: list[int] = []
        self._sight = sight
        self.evaluated = 0
        """How many tokens the last forward evaluated."""
        self._wider = 0
        self._is_spoilt = False
        self._cancelled: Callable[[], bool] = lambda: False
        self._cache = TokenCache(decoder, rollback, None if sight is None else sight.look)

    @property
    def n_ctx(self) -> int:
        """Cells that the target's cache has."""
        return self._cache.decoder.n_ctx

    @property
    def used(self) -> int:
        """Cells that the committed tokens take: one each, and more for some pictures."""
        return len(self.tokens) + self._wider

    def cells(self, n: int) -> int:
        """Return how many cells the first n committed tokens take."""
        return n if self._sight is None else self._sight.cells(self.tokens[:n])

    @property
    def draft_room(self) -> int:
        """How many draft tokens fit into one batch, and can be taken back.

        None beside the rest of a prompt: alone, it is computed as it is for plain decoding.
        """
        if self.n_pending > 1:
            return 0
        return min(self._cache.decoder.n_batch - 1, self._cache.rollback.limit)

    @property
    def n_pending(self) -> int:
        """How many committed tokens are still to be evaluated."""
        return len(self.tokens) - len(self._cache)

    @property
    def decode_s(self) -> float:
        """Time spent in the target so far."""
        return self._cache.decoder.decode_s

    def begin(self, prompt: Sequence[int]) -> int:
        """Make `prompt` the committed tokens; return how many of them the cache already holds.

        Raises PromptTooLong if it leaves no room for a token.
        """
        if not prompt:
            raise PromptTooLong("The prompt is empty.", "Ask something.")
        n_cells = len(prompt) if self._sight is None else self._sight.cells(prompt)
        if n_cells >= self.n_ctx:
            raise PromptTooLong(
                f"The prompt has {n_cells} tokens and the context {self.n_ctx}.",
                "Shorten it, start a new chat, or raise --ctx-size.",
            )
        self.tokens = list(prompt)
        self._wider = n_cells - len(prompt)
        return self._cache.align(self.tokens)

    def prefill(self, cancelled: Callable[[], bool]) -> bool:
        """Evaluate the prompt in chunks, but leave the last one to the first step.

        Returns False if cancelled between two chunks; what was evaluated stays cached.
        """
        self._cancelled = cancelled
        return self._cache.prefill(self.tokens, cancelled)

    def forward(self, draft: Sequence[int], width: int = 0) -> Logits:
        """Evaluate what is committed but not cached, and the draft, in one batch.

        width: how many tokens the batch is to have at least, where there is room, and where what is
        too much can be dropped: the last one stands there again and again.

        Returns [len(draft) + 1, vocab]: row 0 scores the token after the committed ones. There are
        fewer rows if the model computed no numbers behind a token of the draft, which then counts
        as not drafted. Raises DecodeError, also if it computed none behind the committed ones. One
        NaN in the cache spoils all of a row behind it, so one logit of a row tells.
        """
        pending = self.tokens[len(self._cache) :]
        n = len(pending) + len(draft)
        pads = self._pads(width - n, len(draft))
        self.evaluated = n + pads
        if draft and self._cache.rollback.saves:
            self._cache.mark()
        batch = [*pending, *draft]
        batch += batch[-1:] * pads
        rows = self._cache.extend(batch, len(draft) + 1 + pads)
        for i in range(len(rows)):  # out of cold caches half the time of one look by numpy
            if math.isnan(rows.item(i, 0)):
                return self._sound(rows, i)[: len(draft) + 1]
        return rows[: len(draft) + 1] if pads else rows

    def _pads(self, wanted: int, n_drafted: int) -> int:
        if wanted <= 0 or self._cache.rollback.saves:
            return 0
        return max(0, min(wanted, min(self.draft_room, self.n_ctx - self.used) - n_drafted))

    def _sound(self, rows: Logits, n: int) -> Logits:
        """Return the n rows before the first without numbers. Raises DecodeError if n is 0."""
        if n == 0:
            raise DecodeError(
                f"The model computed no numbers (NaN) behind {len(self.tokens)} tokens.",
                "Ask again; if that does not help, try other kernels: --gpu-layers 0.",
            )
        self._is_spoilt = True
        return rows[:n]

    def width_noise(self) -> WidthNoise | None:
        """Return how far a row differs between batch widths here; None if that cannot be tried.

        Evaluates the last token in a batch and alone, and forgets it again.
        """
        if not self._cache.rollback.takes_batches or self.used + WIDTH > self.n_ctx:
            return None
        pending = self.tokens[len(self._cache) :]
        if len(pending) > 1:
            self._cache.extend(pending[:-1], 0)
        at = len(self._cache)
        self._cache.mark()
        rows = []
        for width in (WIDTH, 1):
            rows.append(self._cache.extend([self.tokens[-1]] * width, width)[0].copy())
            self._cache.keep(at)
        return WidthNoise.between(rows[0], rows[1])

    def commit(self, tokens: Sequence[int]) -> None:
        """Append what the target said, and roll the cache back to all of it but the last token.

        If `forward` met a NaN, the cache is cleared and all but the last chunk is evaluated again,
        for a NaN spoils rows even from a dropped cell; not if the answer is cancelled.
        Raises DecodeError and PictureError.
        """
        self.tokens.extend(tokens)
        if self._is_spoilt:
            self._is_spoilt = False
            self._cache.clear()
            self._cache.prefill(self.tokens, self._cancelled)
        else:
            self._cache.keep(len(self.tokens) - 1)
