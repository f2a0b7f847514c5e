"""What the probe finds out about a cache."""

from __future__ import annotations

from collections.abc import Sequence

from engine.probe import SAFETY, WIDTH, can_drop, probe
from engine.types import Logits
from tests.engine.fakes import TableDecoder

TOKENS = [i % 20 + 1 for i in range(14)]


class Noisy(TableDecoder):
    """One-row batches score a little differently."""

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        logits = super().decode(tokens, start, n_rows)
        return logits + 0.001 if len(tokens) == 1 else logits


def test_an_exact_cache_has_no_width_noise() -> None:
    found = probe(TableDecoder(), TOKENS)
    assert found.can_drop
    assert found.tie_margin == 0.0
    assert len(found.plain_steps_s) == WIDTH and min(found.plain_steps_s) > 0.0


def test_the_margin_covers_what_batch_width_changes() -> None:
    margin = probe(Noisy(), TOKENS).tie_margin
    assert 0.9 * SAFETY * 0.001 < margin < 1.1 * SAFETY * 0.001


def test_a_cache_that_cannot_drop_is_found_out_and_left_empty() -> None:
    decoder = TableDecoder(can_drop=False)
    assert not probe(decoder, TOKENS).can_drop
    assert decoder.held == []


def test_whether_a_cache_can_drop_is_asked_of_the_cache() -> None:
    for can in (True, False):
        decoder = TableDecoder(can_drop=can)
        assert can_drop(decoder) is can
        assert decoder.held == []
