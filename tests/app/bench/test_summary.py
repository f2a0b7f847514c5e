"""What is derived from made-up answers: speed-ups, counts, checks, changes."""

from __future__ import annotations

import math

import msgspec
import pytest

from app.bench.changes import changes
from app.bench.checks import at_near_tie, distinct_share, parts_at
from app.bench.running import Taken, measured
from app.bench.summary import Spread, summarise
from tests.app.bench.making import answer, heat, result, setup
from tests.app.doctor.test_trial import finished


def test_a_speedup_is_over_plain_of_the_same_heat() -> None:
    slow = heat(answer("none", 50.0), answer("lookup", 60.0), round=0)
    fast = heat(answer("none", 100.0), answer("lookup", 180.0), round=1)
    row = summarise(result(slow, fast)).row("chat", 0.0, "lookup")
    assert row is not None and row.speedup is not None
    assert (row.speedup.low, row.speedup.high, row.speedup.n) == (1.2, 1.8, 2)
    assert row.speedup.median == pytest.approx(1.5)


def test_a_spread_holds_its_median_and_quartiles() -> None:
    assert Spread.of([]) is None
    one, many = Spread.of([2.0]), Spread.of([5.0, 1.0, 2.0, 4.0, 3.0])
    assert one == Spread(median=2, low=2, high=2, lower_quartile=2, upper_quartile=2, n=1)
    assert many == Spread(median=3, low=1, high=5, lower_quartile=2, upper_quartile=4, n=5)


def test_whole_answers_count_the_first_step_too() -> None:
    drafted = answer("lookup", 90.0, answer_s=0.2, output_tokens=64)
    plain = answer("none", 100.0, answer_s=0.6, output_tokens=64)
    row = summarise(result(heat(plain, drafted))).row("chat", 0.0, "lookup")
    assert row is not None and row.speedup is not None and row.answer_speedup is not None
    assert row.speedup.median == pytest.approx(0.9)
    assert row.answer_speedup.median == pytest.approx(3.0)


def test_a_total_is_the_geometric_mean_of_the_tasks() -> None:
    copy = heat(answer(), answer("lookup", 400.0), task="copy")
    chat = [heat(answer(), answer("lookup", 100.0), round=n) for n in range(9)]
    total = summarise(result(*chat, copy)).total(0.0, "lookup")
    assert total is not None and total.speedup == pytest.approx(2.0)


def test_who_drafted_nothing_has_no_speedup_and_counts_as_plain_which_has_one() -> None:
    plain, idle = answer(drafted=0), answer("lookup", 300.0, drafted=0)
    copy = heat(plain, answer("lookup", 400.0), task="copy")
    summary = summarise(result(heat(plain, idle), copy))
    row, own = summary.row("chat", 0.0, "lookup"), summary.row("chat", 0.0, "none")
    assert row is not None and row.drafted_nothing
    assert (row.speedup, row.answer_speedup) == (None, None)
    assert own is not None and not own.drafted_nothing and own.speedup == Spread.of([1.0])
    total = summary.total(0.0, "lookup")
    assert total is not None and total.speedup == pytest.approx(2.0)
    assert total.answer_speedup == pytest.approx(2.0)


def test_time_that_went_to_guesses_in_vain_counts() -> None:
    plain, vain = answer(drafted=0), answer("lookup", 80.0, drafted=0, in_vain=True)
    summary = summarise(result(heat(plain, vain)))
    row, total = summary.row("chat", 0.0, "lookup"), summary.total(0.0, "lookup")
    assert row is not None and not row.drafted_nothing and row.speedup == Spread.of([0.8])
    assert total is not None and total.speedup == pytest.approx(0.8)
    assert summary.apart == 1.0, "that is not equal work"


@pytest.mark.parametrize(
    ("drafted", "decode_tps", "speedup", "in_vain"),
    [
        (0, 100.0, 1.0, False),
        (0, 100.0, 0.97, True),
        (0, 100.0, None, True),
        (0, None, None, False),
        (5, 100.0, 0.97, False),
    ],
)
def test_the_engine_knows_whether_time_went_to_guesses_in_vain(
    drafted: int, decode_tps: float | None, speedup: float | None, in_vain: bool
) -> None:
    came = finished(decode_tps)
    stats = msgspec.structs.replace(came.stats, drafted=drafted, speedup=speedup)
    taken = Taken("lookup", msgspec.structs.replace(came, stats=stats))
    assert measured(taken, taken).in_vain is in_vain


def test_ratios_are_of_sums() -> None:
    few = answer("lookup", tested=10, accepted=0, tested_at=(10,), accepted_at=(0,), steps=10)
    many = answer("lookup", tested=90, accepted=90, tested_at=(45, 45), accepted_at=(45, 45))
    total = summarise(result(heat(answer(), few), heat(answer(), many, round=1))).total(
        None, "lookup"
    )
    assert total is not None
    counts = total.counts
    assert counts.acceptance_rate == pytest.approx(0.9)
    assert counts.mean_acceptance_length == pytest.approx(128 / 42)
    assert counts.tested_at == (55, 45)
    assert counts.acceptance_at == pytest.approx((45 / 55, 1.0))
    assert counts.overhead_per_step_s == pytest.approx(0.064 / 42)


@pytest.mark.parametrize("speed", [None, 0.0])
def test_an_answer_without_a_speed_is_left_out_of_the_speedup(speed: float | None) -> None:
    there = heat(answer(), answer("lookup", 150.0))
    gone = heat(answer(), answer("lookup", speed), round=1)
    summary = summarise(result(there, gone))
    row, total = summary.row("chat", 0.0, "lookup"), summary.total(None, "lookup")
    assert row is not None and row.speedup is not None and row.speedup.n == 1
    assert total is not None and total.speedup == pytest.approx(1.5)
    only = summarise(result(gone)).total(None, "lookup")
    assert only is not None and only.speedup is None


@pytest.mark.parametrize(
    ("tokens", "share"),
    [
        (list(range(40)), 1.0),
        ([1, 2, 3], 1.0),
        ([], 1.0),
        ([7] * 40, 1 / 37),
        ([1, 2] * 20, 2 / 37),
    ],
    ids=["all new", "too short", "empty", "one token", "two tokens"],
)
def test_loops_have_few_distinct_grams(tokens: list[int], share: float) -> None:
    assert distinct_share(tokens) == pytest.approx(share)


@pytest.mark.parametrize(
    ("tokens", "plain", "place"),
    [([1, 2], [1, 2], None), ([1, 3], [1, 2], 1), ([1], [1, 2], 1), ([], [], None), ([], [1], 0)],
    ids=str,
)
def test_answers_part_at_their_first_difference(
    tokens: list[int], plain: list[int], place: int | None
) -> None:
    assert parts_at(tokens, plain) == place


def test_a_difference_is_at_a_near_tie_if_either_answer_says_so() -> None:
    assert at_near_tie(3, (), (3,)) and at_near_tie(3, (1, 3), ())
    assert not at_near_tie(3, (2,), (4,)) and not at_near_tie(None, (3,))


@pytest.mark.parametrize(
    ("changed", "kind", "said"),
    [
        ({"output_tokens": 31}, "short", "down to 31: 1 of 1"),
        ({"distinct": 0.3}, "loops", "30 %"),
        ({"parts_at": 5}, "differs", "from token 5"),
        ({"parts_at": 5, "at_near_tie": True}, "near-tie", "token 5"),
        ({"first_tokens": 30}, "first step", "20 %"),
    ],
    ids=str,
)
def test_a_failed_check_is_beside_its_row(changed: dict[str, object], kind: str, said: str) -> None:
    doubtful = answer("lookup", **changed)
    row = summarise(result(heat(answer(), doubtful))).row("chat", 0.0, "lookup")
    assert row is not None
    assert [check.kind for check in row.checks] == [kind]
    assert said in row.checks[0].said


def test_only_exact_verification_must_give_plains_tokens_when_hot() -> None:
    other = (answer(), answer("lookup", parts_at=3))
    heats = (heat(*other), heat(*other, temperature=0.8))
    rejection = summarise(result(*heats, setup=setup(verify="rejection")))
    kinds = {row.temperature: [c.kind for c in row.checks] for row in rejection.rows}
    assert kinds[0.8] == []
    total = rejection.total(None, "lookup")
    assert total is not None and (total.comparable, total.equal) == (1, 0)
    exact = summarise(result(*heats)).total(None, "lookup")
    assert exact is not None and (exact.comparable, exact.equal) == (2, 0)


def test_changes_are_of_the_heats_that_both_have() -> None:
    former = result(heat(answer(), answer("lookup", 100.0)))
    now = result(
        heat(answer(), answer("lookup", 110.0)),
        heat(answer(), answer("lookup", 900.0), round=1),
        heat(answer(), answer("lookup", 900.0), task="copy"),
    )
    found = changes(now, former)
    assert found.keys() == {("chat", 0.0, "lookup")}
    assert found["chat", 0.0, "lookup"] == pytest.approx(0.1)
    assert changes(result(heat(seed=2)), former) == {}


def test_no_figure_is_not_a_number() -> None:
    empty = answer("lookup", None, steps=0, output_tokens=0, tested=0, answer_s=None)
    total = summarise(result(heat(answer(), empty))).total(None, "lookup")
    assert total is not None and total.counts.mean_acceptance_length is None
    figures = (total.speedup, total.answer_speedup, total.counts.acceptance_rate)
    assert not any(value is not None and math.isnan(value) for value in figures)
