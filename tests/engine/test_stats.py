"""Every figure follows from the counters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.costs import REMEMBERED, PlainCost, StepCosts
from engine.stats import Counters
from engine.types import NO_DRAFT, Draft, Step


def step(n_draft: int, accepted: int, near_ties: tuple[int, ...] = ()) -> Step:
    draft = Draft((1,) * n_draft, "lookup", (0.5,) * n_draft) if n_draft else NO_DRAFT
    tested = min(n_draft, accepted + 1)
    return Step(draft, (1,) * (accepted + 1), accepted, tested, near_ties, 0.010, 0.008)


def counted() -> Counters:
    counters = Counters(
        prompt_tokens=30, cached_tokens=10, began_s=100.0, plain_cost=PlainCost([0.02])
    )
    counters.count(step(4, 1, near_ties=(1,)), 102.0)
    counters.count(step(4, 4), 103.0)
    counters.count(step(4, 0, near_ties=(0,)), 104.0)
    for now_s in (105.0, 106.0):
        counters.count(step(4, 1), now_s)
    return counters


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
    assert stats.engine_overhead_s == pytest.approx(0.010)


def test_the_gain_is_what_plain_steps_would_cost_over_what_the_steps_cost() -> None:
    counters = counted()
    stats = counters.stats()
    assert stats.speedup == pytest.approx((10 / 4) * 0.020 / 0.010)
    assert stats.plain_tps == pytest.approx(stats.decode_tps / stats.speedup)  # type: ignore[operator]
    stalled = replace(step(4, 1), step_s=5.0)
    counters.count(stalled, 111.0)
    assert counters.stats().speedup == pytest.approx((12 / 5) * 0.020 / 0.010), "one stall is none"


def test_too_few_steps_say_nothing_of_the_gain() -> None:
    counters = Counters(prompt_tokens=3, cached_tokens=0, began_s=0.0, plain_cost=PlainCost([0.02]))
    for now_s in (1.0, 2.0, 3.0):
        counters.count(step(4, 2), now_s)
    assert counters.stats().speedup is None


def test_near_ties_are_output_positions() -> None:
    assert counted().stats().near_ties == [1, 7]


def test_each_drafter_has_its_share() -> None:
    share = counted().stats().drafters["lookup"]
    assert (share.drafted, share.accepted, share.steps) == (20, 7, 5)


def test_what_nobody_knows_is_none() -> None:
    stats = Counters(prompt_tokens=3, cached_tokens=0, began_s=0.0).stats()
    for name in ("acceptance_rate", "draft_efficiency", "mean_acceptance_length", "ttft_s"):
        assert getattr(stats, name) is None
    assert stats.decode_tps is stats.plain_tps is stats.speedup is None


def test_plain_steps_refine_what_plain_decoding_costs_and_the_first_step_does_not() -> None:
    cost = PlainCost([0.02])
    counters = Counters(prompt_tokens=3, cached_tokens=0, began_s=0.0, plain_cost=cost)
    for drafted in (0, 4, 0, 4, 0):
        counters.count(step(drafted, 0), 1.0)
    assert cost.step_s == 0.020, "the first behind a draft pays for the change of width"
    for _ in range(3):
        counters.count(step(0, 0), 1.0)
    assert cost.step_s == 0.010


def test_an_answer_without_drafts_is_plain_and_gains_nothing() -> None:
    counters = Counters(prompt_tokens=3, cached_tokens=0, began_s=0.0, plain_cost=PlainCost([0.02]))
    for now_s in (1.0, 1.1, 1.2):
        counters.count(step(0, 0), now_s)
    stats = counters.stats()
    assert stats.plain_tps == stats.decode_tps == pytest.approx(10.0)
    assert stats.speedup == 1.0


def test_a_stall_is_no_cost_and_a_slower_machine_is() -> None:
    cost = PlainCost([0.010, 0.011, 0.010, 0.012])
    for step_s in (9.0, 9.0):
        cost.observe(step_s)
    assert cost.step_s == 0.010
    for _ in range(REMEMBERED):
        cost.observe(0.029)
    assert cost.step_s == 0.029


def test_steps_cost_what_is_typical_of_their_length() -> None:
    costs = StepCosts()
    for length, step_s in ((4, 0.02), (4, 0.02), (4, 5.0), (4, 0.021), (0, 0.01)):
        costs.observe(length, step_s)
    assert costs.total_s == pytest.approx(4 * 0.02 + 0.01)
