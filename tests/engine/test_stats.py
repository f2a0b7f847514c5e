"""Every figure follows from the counters."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.costs.curves import CostCurves, Measurement
from engine.stats import FEWEST_STEPS, STALL, Counters
from engine.types import Draft, Step
from tests.engine import fakes


def curves(plain_s: float = 0.02) -> CostCurves:
    """A step with four draft tokens costs half as much again as a plain one."""
    return CostCurves(Measurement({1: plain_s, 5: 1.5 * plain_s}, {1: 0.1 * plain_s}))


def step(n_draft: int, accepted: int, near_ties: tuple[int, ...] = ()) -> Step:
    draft = Draft((1,) * n_draft, "lookup", (0.5,) * n_draft)
    said = (1,) * accepted + (2,)
    return replace(fakes.step(said, draft, step_s=0.010), near_ties=near_ties)


def counters(known: CostCurves | None = None) -> Counters:
    return Counters(prompt_tokens=30, cached_tokens=10, began_s=100.0, curves=known)


def counted(known: CostCurves | None = None) -> Counters:
    found = counters(known or curves())
    found.count(step(4, 1, near_ties=(1,)), 102.0)
    found.count(step(4, 4), 103.0)
    found.count(step(4, 0, near_ties=(0,)), 104.0)
    for now_s in (105.0, 106.0):
        found.count(step(4, 1), now_s)
    return found


def test_ratios_are_those_of_their_definitions() -> None:
    stats = counted().stats()
    assert (stats.output_tokens, stats.steps) == (12, 5)
    assert (stats.drafted, stats.accepted, stats.tested) == (20, 7, 11)
    assert stats.acceptance_rate == pytest.approx(7 / 11)
    assert stats.draft_efficiency == pytest.approx(7 / 20)
    assert stats.mean_acceptance_length == pytest.approx(12 / 5)


def test_times_begin_where_they_should() -> None:
    stats = counted().stats()
    assert stats.ttft_s == pytest.approx(2.0)
    assert stats.prefill_tps == pytest.approx(20 / 2.0)
    assert stats.decode_tps == pytest.approx(10 / 4.0), "the first step belongs to the prefill"
    assert (stats.first_step_tokens, stats.decode_s) == (2, pytest.approx(4.0))
    assert stats.engine_overhead_s == pytest.approx(0.010)


def test_the_gain_is_what_plain_steps_would_cost_over_what_the_steps_cost() -> None:
    found = counted()
    stats = found.stats()
    assert stats.speedup == pytest.approx((10 / 4) * 0.020 / 0.010)
    assert stats.plain_tps == pytest.approx(stats.decode_tps / stats.speedup)  # type: ignore[operator]


def test_a_slower_machine_makes_plain_steps_dearer_and_the_gain_larger() -> None:
    gains = [counted(curves(plain_s)).stats().speedup for plain_s in (0.02, 0.04)]
    assert gains[1] == pytest.approx(2 * gains[0])  # type: ignore[operator]


def test_a_stall_counts_as_no_more_than_some_steps_of_its_kind() -> None:
    found = counted()
    found.count(replace(step(4, 1), step_s=50.0), 156.0)
    plain_s, spent_s = 12 * 0.020, 4 * 0.010 + STALL * 0.030
    assert found.stats().speedup == pytest.approx(plain_s / spent_s)


def test_time_that_went_into_drafting_is_spent() -> None:
    found = counted()
    found.count(replace(step(4, 1), step_s=0.30, draft_s=0.25, expected_draft_s=0.20), 107.0)
    assert found.stats().speedup == pytest.approx(12 * 0.020 / (4 * 0.010 + 0.30))


def test_a_stall_while_drafting_counts_as_no_more_than_some_steps_either() -> None:
    found = counted()
    found.count(replace(step(4, 1), step_s=50.0, draft_s=49.9, expected_draft_s=0.01), 156.0)
    plain_s, spent_s = 12 * 0.020, 4 * 0.010 + STALL * (0.030 + 0.01)
    assert found.stats().speedup == pytest.approx(plain_s / spent_s)


def test_what_a_draft_model_only_read_is_a_loss() -> None:
    found = counters(curves())
    for n in range(2):
        read = replace(step(0, 0), step_s=0.050, draft_s=0.030, expected_draft_s=0.030)
        found.count(read, 101.0 + n)
    assert (found.plain_s, found.spent_s) == pytest.approx((0.020, 0.050))


@pytest.mark.parametrize("step_s", [0.010, 0.050, 50.0])
def test_a_step_without_a_draft_is_neither_gain_nor_loss_however_busy_the_machine(
    step_s: float,
) -> None:
    found = counters(curves())
    for n in range(FEWEST_STEPS + 1):
        found.count(replace(step(0, 0), step_s=step_s), 101.0 + n)
    assert found.plain_s == found.spent_s > 0.0


def test_what_was_drafted_in_vain_is_a_loss() -> None:
    found = counters(curves())
    vain = Draft((1, 1), "draft_model", (0.5, 0.5))
    for n in range(2):
        found.count(replace(step(0, 0), step_s=0.030, draft_s=0.010, proposed=vain), 101.0 + n)
    assert (found.plain_s, found.spent_s) == pytest.approx((0.020, 0.030))


def test_an_answer_whose_drafts_were_all_cut_tells_its_loss() -> None:
    found = counters(curves())
    for now in range(1 + FEWEST_STEPS + 5):
        uncut = Draft((1, 1), "draft_model", (0.5, 0.5))
        found.count(replace(step(0, 0), proposed=uncut, draft_s=0.005), 102.0 + now)
    assert not found.drafted
    assert found.stats().speedup == pytest.approx(0.5)


def test_too_few_steps_say_nothing_of_the_gain_and_neither_do_unknown_costs() -> None:
    found, blind = counters(curves()), counters()
    for n in range(FEWEST_STEPS + 1):
        assert found.stats().speedup is None
        for one in (found, blind):
            one.count(step(4, 2), 101.0 + n)
    assert found.stats().speedup is not None
    assert blind.stats().speedup is None and blind.stats().plain_tps is None


def test_a_short_answer_of_long_drafts_tells_its_gain() -> None:
    found = counters(curves())
    for n in range(3):
        found.count(step(4, 4), 101.0 + n)
    assert found.stats().speedup == pytest.approx(5 * 0.020 / 0.010)


def test_near_ties_are_output_positions() -> None:
    assert counted().stats().near_ties == [1, 7]


def test_each_drafter_has_its_share() -> None:
    share = counted().stats().drafters["lookup"]
    assert (share.drafted, share.accepted, share.steps) == (20, 7, 5)


def test_in_a_mixed_draft_each_token_is_its_drafters_and_the_step_the_firsts() -> None:
    found = counters(curves())
    mixed = ("lookup", "lookup", "draft_model", "lookup")
    draft = Draft((1, 1, 1, 1), "lookup", (0.5,) * 4, (), mixed)
    found.count(fakes.step((1, 1, 1, 2), draft), 101.0)
    found.count(
        fakes.step((2,), replace(draft, drafter="draft_model", drafters=mixed[2:] * 2)), 102.0
    )
    shares = found.stats().drafters
    assert {name: (s.drafted, s.accepted, s.steps) for name, s in shares.items()} == {
        "lookup": (5, 2, 1),
        "draft_model": (3, 1, 1),
    }


def test_what_was_cut_off_a_draft_was_not_drafted() -> None:
    found = counters(curves())
    uncut = Draft((1,) * 6, "lookup", (0.5,) * 6)
    found.count(fakes.step((1, 1, 1), uncut.first(2), uncut), 101.0)
    stats = found.stats()
    assert (stats.drafted, stats.accepted, stats.tested) == (2, 2, 2)


def test_tokens_are_counted_by_their_place_in_the_draft() -> None:
    found = counted()
    stats = found.stats()
    assert stats.tested_at == [5, 4, 1, 1]
    assert stats.accepted_at == [4, 1, 1, 1]
    assert (sum(stats.tested_at), sum(stats.accepted_at)) == (stats.tested, stats.accepted)
    found.count(step(6, 6), 107.0)
    assert found.stats().tested_at == [6, 5, 2, 2, 1, 1]
    assert stats.tested_at == [5, 4, 1, 1], "what was told does not change any more"


def test_what_nobody_knows_is_none() -> None:
    stats = Counters(prompt_tokens=3, cached_tokens=0, began_s=0.0).stats()
    for name in ("acceptance_rate", "draft_efficiency", "mean_acceptance_length", "ttft_s"):
        assert getattr(stats, name) is None
    assert stats.decode_tps is stats.plain_tps is stats.speedup is None


def test_an_answer_without_drafts_is_plain_and_gains_nothing() -> None:
    for known in (curves(), None):
        found = counters(known)
        for now_s in (101.0, 101.1, 101.2):
            found.count(step(0, 0), now_s)
        stats = found.stats()
        assert stats.plain_tps == stats.decode_tps == pytest.approx(10.0)
        assert stats.speedup == 1.0
        assert stats.tested_at == stats.accepted_at == []
