"""A decoder for texts in a vocabulary that is larger than its own by ids at the end.

Families pad their vocabularies, so a draft model may lack some of the target's last ids. llama.cpp
refuses a batch with an id that a model lacks. Here such an id is evaluated as another: drafts
behind it may be worse, and the text cannot change by that.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.arrays import Logits
from engine.types import Decoder

STAND_IN = 0


class Narrow:
    """A `Decoder` over another, with STAND_IN for each id that this one lacks."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self.n_ctx, self.n_batch = decoder.n_ctx, decoder.n_batch
        self.n_vocab, self.n_snapshots = decoder.n_vocab, decoder.n_snapshots
        self.settles = decoder.settles
        self.clear, self.drop = decoder.clear, decoder.drop
        self.save, self.restore = decoder.save, decoder.restore

    @property
    def decode_s(self) -> float:
        """Time spent inside llama.cpp so far."""
        return self._decoder.decode_s

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        """Evaluate tokens at positions start… and return the last n_rows rows of logits."""
        n_vocab = self.n_vocab
        known = [token if token < n_vocab else STAND_IN for token in tokens]
        return self._decoder.decode(known, start, n_rows)
