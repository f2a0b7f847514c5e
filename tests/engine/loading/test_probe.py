"""What the probe finds out about a cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.arrays import Logits
from engine.errors import ModelFileError, RollbackRefused
from engine.loading.probe import WRONG, nmse, probe
from engine.sampling.width_noise import NO_NOISE, REACHES
from tests.engine.fakes import TableDecoder

TOKENS = [i * 7 % 20 + 1 for i in range(30)]


class Noisy(TableDecoder):
    """One-row batches score a little differently."""

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        logits = super().decode(tokens, start, n_rows)
        return logits + 0.001 if len(tokens) == 1 else logits


class Liar(TableDecoder):
    """Grants every drop, and goes on with a state that has the dropped tokens in it."""

    def drop(self, start: int) -> None:
        if start:
            self.held[start - 1] = self.held[-1]
        super().drop(start)


class Coarse(TableDecoder):
    """Wide batches score so differently that rows which are right seem wrong."""

    apart = 0.2

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        logits = super().decode(tokens, start, n_rows)
        if len(tokens) == 1:
            return logits
        waves = np.sin(np.arange(logits.shape[1], dtype=np.float32))
        return logits + np.float32(self.apart * logits.std()) * waves


class CoarseLiar(Coarse, Liar):
    """One whose drops are wrong besides."""


class TooCoarse(Coarse):
    """No kernel is so wide of the mark."""

    apart = 0.8


def test_coarse_kernels_are_told_from_a_wrong_way_back() -> None:
    rows = [Coarse().decode(TOKENS[:n], 0, 1)[0] for n in (1, 2)]
    assert nmse(rows[1], TableDecoder().decode(TOKENS[:2], 0, 1)[0]) > WRONG
    found = probe(Coarse(), TOKENS)
    assert found.rollback.name == "drop" and found.noise.largest[0] > 0.0
    assert probe(CoarseLiar(), TOKENS).rollback.name == "replay"
    assert probe(TooCoarse(), TOKENS).rollback.name == "none"


def test_an_exact_cache_has_no_width_noise() -> None:
    assert probe(TableDecoder(), TOKENS).noise == NO_NOISE


def test_what_batch_width_changes_is_measured() -> None:
    noise = probe(Noisy(), TOKENS).noise
    assert noise.largest == pytest.approx([0.001] * len(REACHES), rel=0.1)


@pytest.mark.parametrize(
    ("decoder", "name"),
    [
        (TableDecoder(), "drop"),
        (TableDecoder(n_snapshots=16), "snapshots"),
        (TableDecoder(n_snapshots=3), "snapshots"),
        (TableDecoder(can_drop=False), "replay"),
        (Liar(), "replay"),
        (TableDecoder(can_drop=False, can_save=False), "none"),
        (Liar(can_save=False), "none"),
    ],
    ids=[
        "attention",
        "snapshots",
        "few snapshots",
        "recurrent",
        "liar",
        "neither",
        "lying neither",
    ],
)
def test_the_first_way_back_that_is_right_is_chosen_and_the_cache_left_empty(
    decoder: TableDecoder, name: str
) -> None:
    assert probe(decoder, TOKENS).rollback.name == name
    assert decoder.held == []


def test_a_model_that_computes_no_numbers_is_refused() -> None:
    class Broken(TableDecoder):
        def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
            return super().decode(tokens, start, n_rows) * np.float32("nan")

    with pytest.raises(ModelFileError, match="NaN"):
        probe(Broken(), TOKENS)


def test_tokens_that_a_model_rules_out_are_no_noise() -> None:
    class Masking(TableDecoder):
        def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
            logits = super().decode(tokens, start, n_rows)
            logits[:, 3] = -np.inf
            return logits

    found = probe(Masking(), TOKENS)
    assert (found.rollback.name, found.noise) == ("drop", NO_NOISE)


def test_snapshots_refuse_what_the_last_batch_did_not_write() -> None:
    decoder = TableDecoder(n_snapshots=8)
    rollback = probe(decoder, TOKENS).rollback(decoder)
    decoder.decode(TOKENS[:4], 0, 1)
    decoder.decode(TOKENS[4:6], 4, 1)
    with pytest.raises(RollbackRefused):
        rollback.back(6, 4, 2)
    assert decoder.held == TOKENS[:6]
    assert rollback.back(6, 5, 2) == 5
    assert decoder.held == TOKENS[:5]
