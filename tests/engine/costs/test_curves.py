"""What forwards cost: every width has a cost of its own, and what steps take refines it."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from engine.costs.curves import BUCKETS, CostCurves, Measurement, bucket_of
from engine.costs.shape import HOPE, MOST_HOPED, MOST_ROWS, WIDE
from engine.policy.experience import DRIFTED

JAGGED = {1: 1.0, 2: 1.28, 3: 1.63, 4: 1.10, 5: 1.57, 6: 1.88, 8: 2.07, 12: 2.93, 16: 3.20}
WIDTHS = range(1, MOST_ROWS + 1)
MIXED = (1, 5, 1, 3, 8, 2, 1, 4)


def curves(draft: float | None = 0.1, noise: float = 0.05) -> CostCurves:
    drafts = {} if draft is None else {1: draft, 8: 2 * draft}
    return CostCurves(Measurement(JAGGED, drafts, noise))


def smooth() -> CostCurves:
    return CostCurves(Measurement({n: 0.9 + 0.1 * n for n in WIDTHS}, {1: 0.1}))


def everything(known: CostCurves, depth: int = 0) -> list[float]:
    return [*(known.target_s(n, depth) for n in WIDTHS), known.draft_s(1)]


def test_every_measured_width_has_its_own_cost() -> None:
    known = curves()
    assert {n: known.target_s(n, 0) for n in JAGGED} == pytest.approx(JAGGED)
    assert known.target_s(4, 0) < known.target_s(2, 0) < known.target_s(3, 0)


def test_a_width_between_two_measured_ones_is_on_the_line_between_them() -> None:
    known = curves()
    assert known.target_s(7, 0) == pytest.approx((1.88 + 2.07) / 2)
    assert known.target_s(9, 0) == pytest.approx(0.75 * 2.07 + 0.25 * 2.93)


def test_beyond_the_widest_measured_one_costs_grow_with_the_width() -> None:
    known = curves()
    assert all(known.target_s(n, 0) < known.target_s(n + 1, 0) for n in range(16, MOST_ROWS))
    assert 3.20 < known.target_s(24, 0) < known.target_s(32, 0) <= 2 * 3.20


def test_below_the_narrowest_measured_one_nothing_is_cheaper() -> None:
    known = CostCurves(Measurement({4: 2.0, 8: 3.0}, {}))
    assert known.target_s(1, 0) == pytest.approx(2.0)


def test_relative_costs_are_those_of_drafts_over_a_plain_step() -> None:
    known = curves()
    relative = known.relative(0)
    assert len(relative) == MOST_ROWS and relative[0] == 1.0
    assert relative[3] == pytest.approx(1.10)
    assert known.draft_relative(8, 0) == pytest.approx(0.2)


def test_a_forward_wider_than_any_that_was_measured_costs_as_much_more_as_it_is_wider() -> None:
    known = CostCurves(Measurement({1: 0.1, 32: 0.2}, {1: 0.01, 32: 0.041}))
    assert known.draft_s(33) == pytest.approx(0.042)
    assert known.draft_relative(132, 0) == pytest.approx(1.41)


def test_without_a_draft_model_drafting_with_one_is_out_of_the_question() -> None:
    known = curves(draft=None)
    assert not known.has_draft
    assert known.draft_s(1) == known.draft_relative(1, 0) == math.inf
    assert known.measured().draft_s == {}


def test_a_depth_belongs_to_the_bucket_that_it_is_in() -> None:
    assert [bucket_of(end - 1) for end in BUCKETS] == list(range(len(BUCKETS)))
    assert [bucket_of(end) for end in BUCKETS] == list(range(1, len(BUCKETS) + 1))


def test_what_is_learnt_of_a_depth_is_not_said_of_another() -> None:
    known = curves()
    for _ in range(300):
        known.observe_target(1, 0, 1.0)
        known.observe_target(8, 5000, 2 * 2.07)
        known.observe_target(1, 5000, 1.0)
        known.observe_target(2, 5000, JAGGED[2])
    assert known.relative(5000)[7] == pytest.approx(2 * 2.07, rel=0.1)
    assert known.relative(0)[7] == pytest.approx(2.07, rel=0.2)


def test_a_depth_that_was_never_seen_begins_like_the_nearest() -> None:
    known = curves()
    for _ in range(60):
        for depth, scale in ((0, 1.0), (20_000, 2.0)):
            known.observe_target(1, depth, scale)
            known.observe_target(8, depth, scale * 4.0)
    assert known.relative(10_000) == pytest.approx(known.relative(20_000))
    assert known.relative(600) == pytest.approx(known.relative(0))


@pytest.mark.parametrize("scale", [1.2, 2.0, 3.0])
def test_a_machine_that_is_slower_as_a_whole_keeps_its_ratios(scale: float) -> None:
    known = curves()
    before = known.relative(0)
    for _ in range(20):
        for rows in MIXED:
            known.observe_target(rows, 0, scale * JAGGED[rows])
    for rows in JAGGED:
        assert known.target_s(rows, 0) == pytest.approx(scale * JAGGED[rows], rel=0.3)
    tried = [rows - 1 for rows in set(MIXED)]
    assert [known.relative(0)[n] for n in tried] == pytest.approx(
        [before[n] for n in tried], rel=0.05
    )
    assert known.draft_relative(1, 0) == pytest.approx(0.1, rel=0.3), "the draft model is too"


def test_one_width_that_costs_otherwise_is_learnt_and_the_others_stay() -> None:
    known = curves()
    for _ in range(150):
        for rows in MIXED:
            known.observe_target(rows, 0, 2 * JAGGED[rows] if rows == 5 else JAGGED[rows])
    assert known.relative(0)[4] == pytest.approx(2 * 1.57, rel=0.1)
    for rows in (2, 3, 4, 8):
        assert known.relative(0)[rows - 1] == pytest.approx(JAGGED[rows], rel=0.05)


@pytest.mark.parametrize(("rows", "most"), [(1, 0.2), (4, 0.2), (8, 0.2), (6, 0.4), (32, 0.8)])
def test_a_stall_moves_little_and_least_where_most_is_known(rows: int, most: float) -> None:
    known = curves()
    for _ in range(20):
        for width in MIXED:
            known.observe_target(width, 0, JAGGED[width])
    before = everything(known)
    known.observe_target(rows, 0, 20 * known.target_s(rows, 0))
    moved = [math.log(now / then) for now, then in zip(everything(known), before, strict=True)]
    assert 0.0 < max(moved) < most < math.log(20)
    assert sorted(moved)[len(moved) // 2] < 0.12, "all widths but its own"


def found_quick(rows: int, seconds: float, times: int) -> CostCurves:
    """Curves that saw a width be much quicker than measured, behind plain steps as ever."""
    known = curves()
    for _ in range(times):
        for _ in range(4):
            known.observe_target(1, 0, 1.0)
        known.observe_target(rows, 0, seconds)
    for _ in range(12):
        known.observe_target(1, 0, 1.0)
    return known


def test_a_width_that_is_much_quicker_than_known_is_believed_the_second_time() -> None:
    once, often = (found_quick(12, 1.5, times) for times in (1, 15))
    assert once.relative(0)[11] > 0.8 * JAGGED[12]
    assert often.relative(0)[11] == pytest.approx(1.5, rel=0.3)


def test_fewer_rows_cost_hardly_more_than_a_width_that_is_much_quicker() -> None:
    known = found_quick(12, 1.5, 15)
    assert all(cost <= 1.15 * known.relative(0)[11] for cost in known.relative(0)[:12])
    assert known.relative(0)[3] == pytest.approx(1.10, rel=0.15), "what was cheaper stays so"
    assert known.relative(0)[15] == pytest.approx(3.20, rel=0.15), "and of more it says nothing"


@pytest.mark.parametrize("factor", [1.6, 2.2, 3.0])
def test_bursts_of_a_busy_machine_leave_the_ratios_as_they_were(factor: float) -> None:
    known, rng = curves(), random.Random(3)
    before = known.relative(0)
    for _ in range(40):
        for pace in (1.0, factor):
            for _ in range(rng.randrange(10, 60)):
                rows = rng.choice(MIXED)
                known.observe_target(rows, 0, pace * JAGGED[rows] * rng.lognormvariate(0.0, 0.05))
    assert known.relative(0) == pytest.approx(before, rel=0.25)


def test_a_guess_that_is_kept_is_still_one_when_it_is_read_again() -> None:
    known = curves()
    for _ in range(3):
        again = CostCurves(known.measured())
        for curve in (known, again):
            curve.observe_target(10, 0, 0.9 * curve.target_s(10, 0))
        assert again.target_s(10, 0) == pytest.approx(known.target_s(10, 0), rel=0.03)
    measured = known.measured()
    assert CostCurves(measured).measured().seen == measured.seen
    assert measured.seen[10] == 5 and measured.seen[9] == 2 and 8 not in measured.seen


def dearer_beside_plain(factor: float, spread: float = 0.0) -> CostCurves:
    """Curves that saw drafts alone, on a machine where these have become dearer."""
    known, rng = curves(), random.Random(2)
    for _ in range(60):
        known.observe_target(8, 0, factor * JAGGED[8] * rng.lognormvariate(0.0, spread))
    return known


@pytest.mark.parametrize("factor", [0.6, 1.5, 3.0])
def test_a_pace_that_only_drafts_have_set_is_doubted_and_a_plain_step_ends_that(
    factor: float,
) -> None:
    known = dearer_beside_plain(factor)
    assert known.drift > DRIFTED
    assert known.relative(0)[7] == pytest.approx(JAGGED[8], rel=0.06), "nothing else is known"
    assert known.compare_plain(0, 1.0), "it is off"
    assert known.drift == 0.0
    for _ in range(3):
        known.compare_plain(0, 1.0)
    assert not known.compare_plain(0, 1.0)
    assert known.relative(0)[7] == pytest.approx(factor * JAGGED[8], rel=0.15)


def test_where_steps_differ_much_anyhow_a_plain_step_is_believed_less() -> None:
    found = []
    for spread in (0.02, 0.4):
        known = dearer_beside_plain(1.5, spread)
        before = known.relative(0)[7]
        known.compare_plain(0, known.target_s(1, 0) / 1.4)
        found.append(known.relative(0)[7] / before)
    assert found[0] > 1.18 > 1.08 > found[1] > 1.0


@pytest.mark.parametrize("spread", [0.05, 0.15])
def test_where_steps_only_differ_by_noise_the_ratios_stay_where_they_were(spread: float) -> None:
    known, rng = curves(noise=spread), random.Random(5)
    found = []
    for _ in range(200):
        for _ in range(8):
            known.observe_target(8, 0, JAGGED[8] * rng.lognormvariate(0.0, spread))
        known.compare_plain(0, rng.lognormvariate(0.0, spread))
        found.append(known.relative(0)[7])
    assert sum(found) / len(found) == pytest.approx(JAGGED[8], rel=0.06)
    assert max(found) / min(found) < 1.4


@pytest.mark.parametrize(("stalled", "factor", "spread"), [(0.0, 1.0, 0.3), (0.3, 3.0, 0.1)])
@pytest.mark.parametrize("most", [1, 7], ids=["single", "runs"])
def test_plain_steps_alone_leave_the_ratios_as_they_were(
    stalled: float, factor: float, spread: float, most: int
) -> None:
    """As on a machine that others use; nothing tells T(1) from the pace then."""
    chance, stalls = random.Random(1), 0
    measured = Measurement({1: 1.0, 32: 2.24}, {1: 0.05, 32: 0.2})
    curves = CostCurves(measured)
    before = curves.relative(0)[4], curves.draft_relative(1, 0)
    for _ in range(3000):
        if stalls == 0 and chance.random() < stalled / most:
            stalls = chance.randint(1, most)
        seconds = (factor if stalls else 1.0) * math.exp(chance.gauss(0.0, spread))
        curves.observe_target(1, 0, seconds)
        stalls = max(0, stalls - 1)
    assert (curves.relative(0)[4], curves.draft_relative(1, 0)) == pytest.approx(before, rel=0.05)
    assert 0.6 < curves.target_s(1, 0) < factor + 0.6


def test_a_stall_of_a_plain_step_is_forgotten_with_the_next() -> None:
    known = dearer_beside_plain(1.0, 0.02)
    before = known.relative(0)[7]
    known.compare_plain(0, 20.0)
    assert known.relative(0)[7] > 0.7 * before
    for _ in range(3):
        known.compare_plain(0, 1.0)
    assert known.relative(0)[7] == pytest.approx(before, rel=0.12)


def test_observations_that_are_none_teach_nothing() -> None:
    known = curves()
    before = everything(known)
    for rows, seconds in ((0, 1.0), (MOST_ROWS + 1, 1.0), (1, 0.0), (1, -1.0)):
        known.observe_target(rows, 0, seconds)
    assert not known.compare_plain(0, 0.0)
    for expected_s, seconds in ((0.0, 1.0), (1.0, 0.0), (math.inf, 1.0)):
        known.observe_draft(expected_s, seconds)
    assert everything(known) == before


@pytest.mark.parametrize("factor", [0.5, 2.0, 3.0])
def test_the_scale_of_the_draft_model_is_learnt_and_its_shape_kept(factor: float) -> None:
    known = curves()
    for _ in range(150):
        known.observe_target(1, 0, 1.0)
        known.observe_draft(4 * known.draft_s(1), 4 * factor * 0.1)
    assert known.draft_relative(1, 0) == pytest.approx(factor * 0.1, rel=0.1)
    assert known.draft_s(8) / known.draft_s(1) == pytest.approx(2.0)
    assert known.target_s(1, 0) == pytest.approx(1.0, rel=0.1)


def test_what_is_known_now_can_be_begun_with_again() -> None:
    known = curves()
    for rows in MIXED:
        known.observe_target(rows, 0, 1.3 * JAGGED[rows])
        known.observe_draft(0.1, 0.15)
    again = CostCurves(known.measured())
    assert everything(again) == pytest.approx(everything(known))
    assert again.relative(0) == pytest.approx(known.relative(0))
    assert again.draft_relative(1, 0) == pytest.approx(known.draft_relative(1, 0))
    assert again.noise == known.noise


def test_a_smooth_curve_stays_smooth_where_only_noise_is_observed() -> None:
    known = smooth()
    for turn in range(200):
        for rows in MIXED:
            wobble = 1.0 + 0.05 * math.sin(17 * turn + 5 * rows)
            known.observe_target(rows, 0, wobble * (0.9 + 0.1 * rows))
    assert all(below < above for below, above in pairwise(known.relative(0)[: WIDE - 1]))
    assert all(below < above for below, above in pairwise(everything(known)[:-1]))


def test_of_whole_tiles_more_is_hoped_until_steps_have_had_them() -> None:
    stalled = {1: 1.0, 4: 1.5, 8: 2.4, 16: 5.0}
    known = CostCurves(Measurement(stalled, {1: 0.1}))
    assert known.target_s(16, 0) == pytest.approx(5.0)
    assert known.relative(0)[15] == pytest.approx(2.4 + 8 * 1.4 / 7), "as rows of the first tile"
    assert known.relative(0)[14] == pytest.approx(known.target_s(15, 0)), "of fewer rows nothing"
    known.observe_target(16, 0, 3.6)
    assert known.relative(0)[15] == pytest.approx(3.6 / 1.0)
    assert all(cost <= known.relative(0)[15] * 1.01 for cost in known.relative(0)[:15])
    again = CostCurves(Measurement(stalled, {1: 0.1}))
    again.observe_target(16, 0, 5.0)
    assert again.relative(0)[15] == pytest.approx(5.0), "it is as dear as was measured"


def test_of_whole_tiles_no_more_is_hoped_than_a_stall_may_have_added() -> None:
    known = CostCurves(Measurement({1: 1.0, 8: 1.0, 16: 4.0}, {}))
    assert known.relative(0)[15] == pytest.approx(4.0 * math.exp(-MOST_HOPED))


def test_a_wide_batch_is_hoped_to_be_cheaper_until_a_step_has_had_about_as_wide_a_one() -> None:
    known = curves()

    def hope(rows: int) -> float:
        is_known = known.target_s(rows, 0) / known.target_s(1, 0)
        return math.log(is_known / known.relative(0)[rows - 1])

    assert [hope(rows) for rows in (1, 2, WIDE - 1)] == pytest.approx([0.0] * 3)
    assert [hope(rows) for rows in (WIDE, 24, 25, MOST_ROWS)] == pytest.approx([HOPE] * 4)
    for _ in range(3):
        known.observe_target(20, 0, known.target_s(20, 0))
    assert hope(WIDE) == hope(24) == pytest.approx(HOPE / 16)
    assert hope(25) == hope(MOST_ROWS) == pytest.approx(HOPE)
    assert known.relative(700) == known.relative(0), "what was tried was tried in deeper texts too"
