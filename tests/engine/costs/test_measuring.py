"""What is measured, in what order, and in how much time, on a clock that only forwards move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.arrays import Logits
from engine.costs.calibration import QUIET
from engine.costs.curves import Measurement
from engine.costs.measuring import (
    CHECKED,
    DRAFT_WIDTHS,
    MOST_ROUNDS,
    ORDER,
    UNKNOWN_NOISE,
    WIDTHS,
    behaves,
    measure,
)
from engine.costs.shape import MOST_ROWS

TOKENS = list(range(1, MOST_ROWS + 2))
Cost = Callable[[int], float]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Timed:
    """A `Decoder` whose forwards take what a function of their width says."""

    n_ctx, n_vocab, n_snapshots, settles, decode_s = 64, 8, 0, 1, 0.0

    def __init__(self, clock: Clock, cost: Cost, n_batch: int = 64) -> None:
        self.n_batch = n_batch
        self.held: list[int] = [7, 7, 7]
        self.calls: list[tuple[int, int]] = []
        self._clock, self._cost = clock, cost

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        assert start == len(self.held), "positions must continue the cache"
        is_replay = start == 1 and n_rows == 0
        assert 1 <= len(tokens) <= self.n_batch
        assert n_rows == len(tokens) or is_replay, "every row is asked for"
        self.held.extend(tokens)
        self.calls.append((start, len(tokens)))
        self._clock.now += self._cost(len(tokens))
        return np.zeros((n_rows, 8), dtype=np.float32)

    def drop(self, start: int) -> None:
        del self.held[start:]

    def save(self) -> bytearray:
        raise AssertionError("measuring saves nothing")

    def restore(self, saved: bytearray, n: int) -> None:
        raise AssertionError("measuring restores nothing")

    @property
    def widths(self) -> list[int]:
        """The widths that were timed: not the token before a single one."""
        return [n for start, n in self.calls if (start, n) != (0, 1)]


class Recording(Timed):
    """One on a GPU that records the second of two equal forwards, and replays it from then on."""

    settles = 2

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        late = [n for _, n in self.calls[-2:]]
        if late != [len(tokens)] * 2:
            self._clock.now += UNRECORDED_S
        return super().decode(tokens, start, n_rows)


UNRECORDED_S = 0.0008


def jagged(n: int) -> float:
    return 0.001 * (1.0 + 0.05 * n + 0.3 * (n % 4))


def both(
    cost: Cost = jagged, draft: Cost = lambda n: 1e-4 * n, **settings: float
) -> tuple[Clock, Timed, Timed, Measurement]:
    clock = Clock()
    target, drafter = Timed(clock, cost), Timed(clock, draft)
    return clock, target, drafter, measure(target, drafter, TOKENS, clock=clock, **settings)


def test_on_a_quick_machine_every_width_is_measured_as_it_is() -> None:
    _, _, _, found = both()
    assert found.target_s == pytest.approx({n: jagged(n) for n in range(1, MOST_ROWS + 1)})
    assert found.draft_s == pytest.approx({n: 1e-4 * n for n in DRAFT_WIDTHS})
    assert found.noise == pytest.approx(0.0, abs=1e-9)


def test_the_caches_are_left_empty() -> None:
    _, target, drafter, _ = both()
    assert target.held == drafter.held == []


def test_a_single_token_is_timed_behind_another() -> None:
    _, target, _, _ = both()
    assert {start for start, n in target.calls if n > 1} == {0}
    singles = [start for start, n in target.calls if n == 1]
    assert singles == [0] + [0, 1] * (len(singles) // 2), "the first of all warms up"


def test_where_work_that_repeats_is_replayed_a_single_token_is_timed_when_it_is() -> None:
    clock = Clock()
    target, drafter = Recording(clock, jagged), Recording(clock, lambda n: 1e-4 * n)
    found = measure(target, drafter, TOKENS, clock=clock)
    assert found.target_s[1] == pytest.approx(jagged(1))
    assert found.target_s[4] == pytest.approx(jagged(4) + UNRECORDED_S)
    assert found.draft_s[1] == pytest.approx(1e-4)
    assert found.settles == 2
    assert found.returning_s == pytest.approx(2 * UNRECORDED_S), "of two tokens"
    assert target.held == drafter.held == []
    assert behaves(target, None, TOKENS, found, clock)


def test_where_it_is_not_returning_to_plain_decoding_costs_nothing() -> None:
    assert (both()[3].settles, both()[3].returning_s) == (1, 0.0)


def test_widths_are_measured_in_rounds_so_that_a_slow_moment_hits_all_alike() -> None:
    _, target, _, _ = both(lambda n: 0.001 * (0.9 + 0.1 * n))
    assert target.widths == list(ORDER) * (MOST_ROUNDS + 1)


def test_a_stall_is_none_of_the_costs() -> None:
    stalls = iter([0.0] * 100 + [0.5] * 3 + [0.0] * 10_000)
    _, _, _, found = both(lambda n: jagged(n) + next(stalls))
    assert found.target_s == pytest.approx({n: jagged(n) for n in range(1, MOST_ROWS + 1)})


@pytest.mark.parametrize("stall_s", [0.3, 7.0])
@pytest.mark.parametrize("at", range(2, 30))
def test_where_there_is_time_for_little_one_stall_is_none_of_the_costs(
    at: int, stall_s: float
) -> None:
    stalls = iter([0.0] * at + [stall_s] + [0.0] * 10_000)
    _, _, _, found = both(lambda n: 0.05 * (0.9 + 0.1 * n) + next(stalls), lambda n: 5e-4 * n)
    assert len(found.target_s) >= 6
    assert found.target_s == pytest.approx({n: 0.05 * (0.9 + 0.1 * n) for n in found.target_s})


def test_the_first_of_a_width_does_not_count() -> None:
    seen: Counter[int] = Counter()

    def cost(n: int) -> float:
        seen[n] += 1
        return jagged(n) + (0.02 if seen[n] == 1 else 0.0)

    _, _, _, found = both(cost)
    measured = [n for n in found.target_s if n > 1]
    assert len(measured) > 8
    assert {n: found.target_s[n] for n in measured} == pytest.approx(
        {n: jagged(n) for n in measured}
    )


@pytest.mark.parametrize("plain_s", [0.03, 0.1, 0.5, 9.0])
def test_on_a_slow_machine_the_most_telling_widths_come_first(plain_s: float) -> None:
    _, _, _, found = both(lambda n: plain_s * (0.9 + 0.1 * n), lambda n: 0.1 * plain_s * n)
    measured = list(found.target_s)
    assert measured == list(ORDER[: len(measured)])
    assert 1 <= len(measured) < len(ORDER)
    assert not found.draft_s or list(found.draft_s) == list(DRAFT_WIDTHS[: len(found.draft_s)])


def test_a_smaller_budget_measures_fewer_widths() -> None:
    counts = [
        len(both(lambda n: 0.01 * (0.9 + 0.1 * n), budget_s=budget)[3].target_s)
        for budget in (0.2, 0.5, 2.0, 9.0)
    ]
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("plain_s", [0.002, 0.01, 0.02, 0.05])
def test_what_is_measured_is_measured_several_times(plain_s: float) -> None:
    _, target, _, found = both(lambda n: plain_s * (0.9 + 0.1 * n))
    times = Counter(target.widths)
    assert all(times[n] > 1 for n in found.target_s), times


def test_a_whole_tile_is_known_early_and_what_time_is_left_tells_the_noise() -> None:
    _, target, _, found = both(lambda n: 0.06 * (1.0 + 0.1 * n))
    times = Counter(target.widths)
    assert MOST_ROWS in found.target_s and len(found.target_s) < len(ORDER) // 2
    assert times[1] > times[MOST_ROWS] > 1
    assert found.noise == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("stalled", range(2, 9))
def test_one_stall_of_a_slow_machine_says_nothing_of_its_noise(stalled: int) -> None:
    clock, n_called = Clock(), []

    def cost(n: int) -> float:
        n_called.append(n)
        return 0.6 * (0.9 + 0.1 * n) * (1.5 if len(n_called) == stalled else 1.0)

    assert measure(Timed(clock, cost), None, TOKENS, clock=clock).noise < 0.1


@pytest.mark.parametrize("has_draft", [False, True])
@pytest.mark.parametrize("plain_s", [0.05, 0.2, 0.3])
def test_a_plain_step_is_timed_twice_where_there_is_time_for_it_and_tells_the_noise(
    plain_s: float, has_draft: bool
) -> None:
    clock = Clock()
    slower = iter([1.0, 1.0, 1.0, 1.0])
    target = Timed(clock, lambda n: plain_s * (next(slower, 1.1) if n == 1 else 1.0 + 0.3 * n))
    draft = Timed(clock, lambda n: 0.1 * plain_s) if has_draft else None
    found = measure(target, draft, TOKENS, clock=clock)
    assert target.calls.count((1, 1)) >= 2
    assert found.noise < 0.1, "so large that nothing is kept"
    assert has_draft or found.noise > 0.0, "it is known"


def test_on_a_machine_too_slow_for_that_the_noise_is_a_guess_that_lets_costs_be_kept() -> None:
    found = measure(Timed(clock := Clock(), lambda n: 0.7 * n), None, TOKENS, clock=clock)
    assert found.noise == UNKNOWN_NOISE < QUIET and {*found.target_s} == {1, 4}


def test_no_batch_is_wider_than_the_decoder_takes() -> None:
    clock = Clock()
    target, drafter = Timed(clock, jagged, n_batch=8), Timed(clock, jagged, n_batch=4)
    found = measure(target, drafter, TOKENS, clock=clock)
    assert set(found.target_s) == set(range(1, 9))
    assert set(found.draft_s) == {1}


def test_without_a_draft_model_there_is_none_of_its_costs() -> None:
    clock = Clock()
    assert measure(Timed(clock, jagged), None, TOKENS, clock=clock).draft_s == {}


def test_noise_is_how_far_times_of_one_width_are_apart() -> None:
    rng = np.random.default_rng(2)
    quiet, busy = (
        both(lambda n, most=most: jagged(n) * (1.0 + most * rng.random()))[3].noise  # type: ignore[misc]
        for most in (0.02, 0.4)
    )
    assert 0.0 < quiet < 0.02 < 0.05 < busy < 0.2


def test_the_most_telling_widths_begin_with_those_that_are_checked_again() -> None:
    assert set(WIDTHS[:3]) == {1, 4, 8}
    assert sorted(ORDER) == list(range(1, MOST_ROWS + 1))


@pytest.mark.parametrize("pace", [0.3, 1.0, 1.1, 4.0])
def test_a_machine_of_another_pace_behaves_as_it_did(pace: float) -> None:
    kept = both()[3]
    target = Timed(clock := Clock(), lambda n: pace * jagged(n))
    assert behaves(target, None, TOKENS, kept, clock) == pytest.approx(pace)
    assert target.held == []


@pytest.mark.parametrize("width", [1, 4, 8, 16])
@pytest.mark.parametrize("factor", [0.6, 1.6])
def test_a_machine_of_other_ratios_does_not(width: int, factor: float) -> None:
    kept = both()[3]
    other = Timed(clock := Clock(), lambda n: (factor if n == width else 1.0) * jagged(n))
    assert behaves(other, None, TOKENS, kept, clock) is None


@pytest.mark.parametrize(
    ("factor", "expected"), [(0.3, False), (0.7, True), (1.5, True), (4, False)]
)
def test_a_draft_model_that_costs_far_less_or_more_beside_the_target_is_measured_anew(
    factor: float, expected: bool
) -> None:
    clock, _, _, kept = both()
    target, draft = Timed(clock, jagged), Timed(clock, lambda n: factor * kept.draft_s[n])
    assert (behaves(target, draft, TOKENS, kept, clock) is not None) is expected
    assert draft.held == []


def test_a_machine_that_is_as_it_was_is_asked_once() -> None:
    clock, _, _, kept = both()
    target, draft = Timed(clock, jagged), Timed(clock, lambda n: kept.draft_s[n])
    assert behaves(target, draft, TOKENS, kept, clock)
    assert (target.widths, draft.widths) == (list(CHECKED), [1])


def test_a_stall_while_checking_is_no_change() -> None:
    kept = both()[3]
    stalls = iter([0.0, 0.0, 0.0, 0.7] + [0.0] * 100)
    assert behaves(
        Timed(clock := Clock(), lambda n: jagged(n) + next(stalls)), None, TOKENS, kept, clock
    )


def test_kept_costs_of_other_widths_say_nothing() -> None:
    clock = Clock()
    assert behaves(Timed(clock, jagged), None, TOKENS, Measurement({}, {}), clock) is None
