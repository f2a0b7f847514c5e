"""Width noise that shows in few rows is found, and one that is in all of them quickly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from engine.arrays import Logits
from engine.assemble import Engine
from engine.costs.noise_search import (
    BUDGET_S,
    ENOUGH_TOKENS,
    FEWEST_TOKENS,
    MOST_TOKENS,
    TEXT,
    UNSEEN,
    Search,
)
from engine.sampling.width_noise import NO_NOISE, REACHES, SAFETY, WidthNoise
from engine.settings import SamplingSettings
from tests.engine.fakes import VOCAB, TableDecoder
from tests.pair import pair

QUICK_S = BUDGET_S / MOST_TOKENS / 4
LATE = 9999
NOTHING = Search()


class Flipping(TableDecoder):
    """In batches every so manyth token rounds to the other side, and rows behind it are others."""

    def __init__(self, every: int, n_ctx: int = TEXT, n_batch: int = 64) -> None:
        super().__init__(n_ctx=n_ctx, n_batch=n_batch)
        self._every = every
        self._n_flips = 0
        self.asked: list[int] = []

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        self.asked += tokens
        logits = super().decode(tokens, start, n_rows).copy()
        for i, row in enumerate(logits):
            at = start + i
            self._n_flips *= at > 0
            self._n_flips += len(tokens) > 1 and at % self._every == self._every - 1
            row += 0.001 * self._n_flips
        return logits


def _evaluated_s(decoder: Flipping, token_s: float) -> float:
    """A clock that goes on by so much with each token."""
    return token_s * len(decoder.asked)


def searched(decoder: TableDecoder, token_s: float = QUICK_S) -> Search:
    """Search on a machine that is never late."""
    return NOTHING.go_on(decoder, range(VOCAB), token_s, lambda: 0.0)


@pytest.mark.parametrize(("every", "n_flips"), [(7, 73), (500, 1)])
def test_what_few_batches_round_otherwise_is_found_and_adds_up(every: int, n_flips: int) -> None:
    """As it does in the cache of an answer: the noise of one row says little of it."""
    decoder = Flipping(every)
    found = searched(decoder)
    assert found.noise.largest == pytest.approx([0.001 * n_flips] * len(REACHES), rel=0.02)
    assert found.is_over and ENOUGH_TOKENS < found.n_tokens == TEXT
    assert decoder.held == []


def test_rows_that_agree_are_looked_at_until_there_were_many() -> None:
    decoder = Flipping(LATE)
    found = searched(decoder)
    assert found == Search(NO_NOISE, MOST_TOKENS) and found.is_over
    texts = [tuple(decoder.asked[i : i + TEXT]) for i in range(0, len(decoder.asked), TEXT)]
    assert len(texts) == 8 and texts[::2] == texts[1::2]
    assert len(set(texts)) == 4, "each text another"


def test_a_slow_machine_goes_on_at_the_next_load_with_other_tokens() -> None:
    found, tries = NOTHING, []
    token_s = BUDGET_S / 300
    while not found.is_over:
        decoder = Flipping(LATE)
        clock = partial(_evaluated_s, decoder, token_s)
        found = found.go_on(decoder, range(VOCAB), token_s, clock)
        tries.append(tuple(decoder.asked))
    assert found.noise == NO_NOISE and MOST_TOKENS <= found.n_tokens < MOST_TOKENS + TEXT
    assert len(set(tries)) == len(tries) > 3


@pytest.mark.parametrize(
    ("token_s", "n_ctx"),
    [(BUDGET_S, TEXT), (QUICK_S, FEWEST_TOKENS - 1)],
    ids=["slow", "small"],
)
def test_there_is_no_searching_where_it_tells_nothing(token_s: float, n_ctx: int) -> None:
    decoder = Flipping(1, n_ctx)
    assert searched(decoder, token_s) == NOTHING
    assert decoder.evaluated == [] == decoder.held


@pytest.mark.parametrize("n_batch", [1, 3])
def test_no_batch_is_wider_than_can_be(n_batch: int) -> None:
    decoder = Flipping(9, n_batch=n_batch)
    assert bool(searched(decoder).noise) == (n_batch > 1)
    assert max(decoder.batches) == n_batch


def test_a_machine_that_became_slow_ends_a_search_in_time() -> None:
    decoder = Flipping(every=40)
    slow_s = 32 * QUICK_S
    clock = partial(_evaluated_s, decoder, slow_s)
    found = NOTHING.go_on(decoder, range(VOCAB), QUICK_S, clock)
    assert found.noise and 0 < found.n_tokens < TEXT, "of what there was time for"
    assert slow_s * len(decoder.asked) < 2.2 * BUDGET_S
    assert decoder.held == []


@pytest.mark.parametrize("first", [9.0, 0.0])
def test_a_search_goes_on_where_the_last_load_ended_however_busy_the_machine_was(
    first: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Search] = []
    steps = [Search(NO_NOISE, 40), Search(WidthNoise((5.0, 6.0, 7.0, 8.0)), MOST_TOKENS)]

    def go_on(so_far: Search, *_: object) -> Search:
        begun.append(so_far)
        return steps[len(begun) - 1]

    monkeypatch.setattr(Search, "go_on", go_on)
    monkeypatch.setattr("engine.costs.calibration.behaves", lambda *_, **__: 1.0)
    margins = []
    for noisiest in (first, 0.0, 9.0):
        monkeypatch.setattr("engine.costs.calibration.QUIET", noisiest)
        engine = Engine(pair(drafter="none", n_ctx=256, costs=str(tmp_path)))
        margins.append(engine.sampler(SamplingSettings()).tie_margin)
        engine.free()
    assert [so_far.n_tokens for so_far in begun] == [0, 40]
    assert margins[0] < margins[1] == margins[2] == SAFETY * 5.0


def test_what_is_not_known_yet_is_assumed_and_never_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine too few rows are seen to say that batches of all widths agree."""
    searches = [Search(NO_NOISE, 40), Search(NO_NOISE, MOST_TOKENS)]
    monkeypatch.setattr(Search, "go_on", lambda *_: searches.pop(0))
    monkeypatch.setattr("engine.costs.calibration.behaves", lambda *_, **__: 1.0)
    monkeypatch.setattr("engine.costs.calibration.QUIET", 9.0)
    monkeypatch.setattr("engine.loading.probe.WidthNoise.between", lambda *_: NO_NOISE)
    margins = []
    for _ in range(2):
        engine = Engine(pair(drafter="none", n_ctx=256, costs=str(tmp_path)))
        margins.append(engine.sampler(SamplingSettings()).tie_margin)
        engine.free()
    assert margins == [SAFETY * UNSEEN.largest[0], 0.0]


def test_nothing_is_assumed_where_kernels_were_chosen_to_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Search, "go_on", lambda *_: Search(NO_NOISE, 40))
    engine = Engine(pair(drafter="none", n_ctx=256, gpu_layers=0, batch_invariant=True))
    assert engine.sampler(SamplingSettings()).tie_margin == 0.0
    engine.free()
