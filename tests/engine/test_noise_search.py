"""Width noise that shows in few rows is found, and one that is in all of them quickly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from engine.assemble import Engine
from engine.noise_search import (
    BUDGET_S,
    ENOUGH_DIFFERING,
    ENOUGH_ROWS,
    FEWEST_TOKENS,
    MOST_ROWS,
    WIDTH,
    Search,
)
from engine.rollback import Drop, Kind, Never, Replay, Snapshots
from engine.settings import SamplingSettings
from engine.types import Logits
from engine.width_noise import NO_NOISE, REACHES, SAFETY, WidthNoise
from tests.engine.fakes import VOCAB, TableDecoder
from tests.pair import pair

QUICK_S = BUDGET_S / MOST_ROWS / 4
LATE = 9999
NOTHING = Search()


class Seldom(TableDecoder):
    """Alone, every so manyth row scores a little differently."""

    def __init__(self, every: int, n_snapshots: int = 0, n_ctx: int = 512) -> None:
        super().__init__(n_snapshots=n_snapshots, n_ctx=n_ctx)
        self._every = every
        self.asked: list[int] = []

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        self.asked += tokens
        logits = super().decode(tokens, start, n_rows)
        differs = len(tokens) == 1 and start % self._every == self._every - 1
        return logits + 0.001 if differs else logits


def _evaluated_s(decoder: Seldom, token_s: float) -> float:
    """A clock that goes on by so much with each token."""
    return token_s * len(decoder.asked)


def searched(
    decoder: TableDecoder, kind: Kind = Drop, token_s: float = QUICK_S, so_far: Search = NOTHING
) -> Search:
    """Search on a machine that is never late."""
    return so_far.go_on(decoder, kind, range(VOCAB), token_s, lambda: 0.0)


@pytest.mark.parametrize("kind", [Drop, Replay, Snapshots])
def test_noise_that_few_rows_show_is_found(kind: Kind) -> None:
    decoder = Seldom(every=100, n_snapshots=WIDTH if kind is Snapshots else 0)
    found = searched(decoder, kind)
    assert found.noise.largest == pytest.approx([0.001] * len(REACHES), rel=0.1)
    assert decoder.held == []


@pytest.mark.parametrize("kind", [Drop, Snapshots])
@pytest.mark.parametrize(
    ("every", "n_rows"), [(1, ENOUGH_ROWS), (100, 100 * ENOUGH_DIFFERING), (LATE, MOST_ROWS)]
)
def test_one_load_is_enough_for_a_quick_model(every: int, n_rows: int, kind: Kind) -> None:
    """Where all rows differ a little, few may differ much; where few differ, one says little."""
    decoder = Seldom(every, n_snapshots=1 if kind is Snapshots else 0)
    found = searched(decoder, kind)
    assert found.is_over and found.n_differing == pytest.approx(n_rows / every, abs=n_rows / 16)
    assert bool(found.noise) == (every < LATE)
    assert n_rows / 2 <= found.n_rows == decoder.batches.count(1) < 1.5 * n_rows


def test_rows_that_agree_are_looked_at_until_there_were_many() -> None:
    """A slow machine goes on at the next load, with other tokens."""
    found, tries = NOTHING, []
    token_s = BUDGET_S / 256
    while not found.is_over:
        decoder = Seldom(every=LATE)
        clock = partial(_evaluated_s, decoder, token_s)
        found = found.go_on(decoder, Drop, range(VOCAB), token_s, clock)
        tries.append(tuple(decoder.asked))
    assert found == Search(NO_NOISE, found.n_rows)
    assert MOST_ROWS <= found.n_rows < MOST_ROWS + WIDTH
    assert len(set(tries)) == len(tries) > 3


@pytest.mark.parametrize(
    ("kind", "token_s", "n_ctx"),
    [(Drop, BUDGET_S, 512), (Drop, QUICK_S, FEWEST_TOKENS - 1), (Never, QUICK_S, 512)],
    ids=["slow", "small", "without a way back"],
)
def test_there_is_no_searching_where_it_takes_long_or_cannot_be(
    kind: Kind, token_s: float, n_ctx: int
) -> None:
    decoder = Seldom(every=1, n_ctx=n_ctx)
    assert searched(decoder, kind, token_s) == NOTHING
    assert decoder.evaluated == [] == decoder.held


def test_a_machine_that_became_slow_ends_a_search_in_time() -> None:
    decoder = Seldom(every=LATE)
    slow_s = 4 * QUICK_S
    clock = partial(_evaluated_s, decoder, slow_s)
    found = NOTHING.go_on(decoder, Drop, range(VOCAB), QUICK_S, clock)
    assert 0 < found.n_rows < MOST_ROWS
    assert slow_s * len(decoder.asked) < BUDGET_S + 3 * WIDTH * slow_s
    assert decoder.held == []


def test_a_search_goes_on_where_the_last_load_ended_however_busy_the_machine_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Search] = []
    steps = [Search(NO_NOISE, 40), Search(WidthNoise((5.0, 6.0, 7.0, 8.0)), MOST_ROWS)]

    def go_on(so_far: Search, *_: object) -> Search:
        begun.append(so_far)
        return steps[len(begun) - 1]

    monkeypatch.setattr(Search, "go_on", go_on)
    monkeypatch.setattr("engine.calibration.behaves", lambda *_, **__: True)
    margins = []
    for noisiest in (9.0, 0.0, 9.0):
        monkeypatch.setattr("engine.calibration.QUIET", noisiest)
        engine = Engine(pair(drafter="none", n_ctx=256, costs=str(tmp_path)))
        margins.append(engine.sampler(SamplingSettings()).tie_margin)
        engine.free()
    assert [so_far.n_rows for so_far in begun] == [0, 40]
    assert margins[0] < margins[1] == margins[2] == SAFETY * 5.0
