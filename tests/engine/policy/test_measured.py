"""What a step may draft follows from what tokens are worth and what they cost."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from statistics import median

import pytest
from msgspec.structs import replace

from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS
from engine.policy.budget import Budget
from engine.policy.experience import PLAIN_EVERY, Experience
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.policy.measured import LEAST_MARGIN, MOST_MARGIN, Measured
from engine.types import NO_DRAFT, Draft
from tests.engine.fakes import step
from tests.engine.simulated import (
    FLAT,
    LOOKUP,
    MODEL,
    STEEP,
    Found,
    Model,
    World,
    always,
    budget,
    chance,
    drafted,
    rate,
    warmed,
    widths,
)

CHEAP_FOUR = {n: 1.0 + 0.3 * (n - 1) for n in FLAT} | {2: 1.9, 3: 2.0, 4: 1.1, 5: 2.2, 6: 2.3}


def flat(row: float) -> dict[int, float]:
    """Costs of a machine where each further row costs this share of a plain step."""
    return {n: 1.0 + row * (n - 1) for n in FLAT}


@pytest.mark.parametrize(
    ("length", "room", "limit"), [(4, 100, 4), (4, 2, 2), (4, 0, 0), (0, 9, 0)]
)
def test_a_fixed_length_is_granted_or_what_there_is_room_for(
    length: int, room: int, limit: int
) -> None:
    assert FixedLength(length).allow(room, 100).limit == limit


@pytest.mark.parametrize("n", [1, 3, 8, 31])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 1.0])
@pytest.mark.parametrize("right", [True, False])
def test_a_fixed_length_is_drafted_and_verified_exactly(
    n: int, confidence: float, right: bool
) -> None:
    world, claims = World(), always(confidence, right)
    for sources in ([Model(claims)], [Found(claims)], [Found(claims, 2), Model(claims)]):
        steps = world.run(FixedLength(n), sources, 20)  # type: ignore[arg-type]
        assert set(widths(steps)) == set(drafted(steps)) == {n}


def test_a_fixed_allowance_takes_a_lookup_as_far_as_there_is_room() -> None:
    allowance = FixedAllowance(3)
    assert allowance.value(LOOKUP, (0.5, 0.5, 0.5, 0.5)) == (3, 0.875)
    allowance.take(LOOKUP, (0.5, 0.5))
    assert allowance.value(LOOKUP, (0.5, 0.5, 0.5, 0.5)) == (1, 0.5)
    assert allowance.outlook(MODEL, 1) == pytest.approx(0.8)
    allowance.take(MODEL, (0.5,), 1)
    assert allowance.outlook(MODEL, 1) == 0.0


def test_the_first_step_of_an_answer_is_plain_so_that_its_first_token_is_soon_there() -> None:
    steps = World().run(World().policy(), [Found(always(0.95, True))], 3)
    assert [bool(n) for n in widths(steps)] == [False, True, True]


@pytest.mark.parametrize("room", [0, 1, 5, 31, 32, 500])
def test_no_more_is_granted_than_there_is_room_for_and_costs_are_known_of(room: int) -> None:
    assert budget(warmed(World()), room).limit == min(room, MOST_ROWS - 1)


def test_a_perfect_drafter_that_is_cheap_drafts_up_to_the_limit() -> None:
    for source in (Model(always(0.95, True)), Found(always(0.95, True))):
        steps = World().run(World().policy(), [source], 60)
        assert set(widths(steps)[10:]) == {MOST_ROWS - 1}
        assert rate(steps) > 8.0


def test_jagged_costs_make_the_cheap_width_the_choice() -> None:
    steps = World(CHEAP_FOUR).run(World(CHEAP_FOUR).policy(), [Found(chance(0.8, 0.8))], 80)
    assert set(widths(steps)[5:]) == {3}, "of four rows, which are cheaper than two or three"


def spread(known: dict[int, float]) -> dict[int, float]:
    """Return what every width costs, on lines between those that are known."""
    curves = CostCurves(Measurement(known, {}))
    return {n: curves.target_s(n, 0) for n in range(1, MOST_ROWS + 1)}


TILED = {1: 1.0} | {n: 0.9 + 2.1 * math.ceil(n / 8) for n in range(2, MOST_ROWS + 1)}
"""A machine whose kernels compute in tiles of eight rows."""


def test_a_wide_batch_that_a_stall_at_load_made_too_dear_is_tried_all_the_same() -> None:
    stalled = {n: s for n, s in TILED.items() if n <= 16} | {32: 1.1 * TILED[32]}
    world = World(TILED, measured=stalled)
    steps = world.run(world.policy(), [Model(always(0.95, True))], 60)
    assert min(widths(steps)[-20:]) > 16, "rows cost less in wider batches"


@pytest.mark.parametrize("slept", [1.3, 1.7])
def test_whole_tiles_of_which_every_measurement_was_stalled_are_tried_all_the_same(
    slept: float,
) -> None:
    true = {1: 1.0, 2: 1.3, 4: 1.5, 8: 2.3, 16: 3.8}
    world = World(spread(true), draft_s=0.05, measured=true | {16: slept * true[16]})
    steps = world.run(world.policy(), [Model(always(0.99, True))], 60)
    assert min(widths(steps)[-20:]) >= 15, "rows cost less in wider batches"


def test_whole_tiles_that_are_as_dear_as_measured_are_tried_once_or_twice() -> None:
    steep = spread({1: 1.0, 2: 1.1, 4: 1.3, 8: 1.6, 16: 4.4, 32: 9.0})
    world = World(steep, draft_s=0.05, measured=steep)
    steps = world.run(world.policy(), [Model(always(0.99, True))], 200)
    assert 0 < sum(n > 7 for n in widths(steps)) <= 3
    assert max(widths(steps)[-100:]) == 7


@pytest.mark.parametrize("row", [0.05, 0.2, 0.4, 0.7])
@pytest.mark.parametrize("rightness", [0.1, 0.5, 0.9])
def test_drafting_is_hardly_ever_slower_than_plain_decoding(row: float, rightness: float) -> None:
    world = World(flat(row), draft_s=0.05)
    sources = [Model(chance(0.7, rightness)), Found(chance(0.5, rightness / 2, seed=2))]
    steps = world.run(world.policy(), sources, 400)
    assert rate(steps) > 0.98


@pytest.mark.parametrize("draft_s", [0.02, 0.05, 0.3])
@pytest.mark.parametrize("dear", [False, True])
def test_asking_in_vain_is_rare_where_what_was_asked_for_has_to_be_verified(
    draft_s: float, dear: bool
) -> None:
    world = World(TILED if dear else STEEP, draft_s=draft_s, cuts=False)
    steps = world.run(world.policy(), [Model(always(0.8, False))], 2000)
    assert rate(steps[1000:]) > 0.98
    assert sum(1 for n in widths(steps[1000:]) if n) > 0, "it is still asked"


@pytest.mark.parametrize("row", [0.02, 0.1])
@pytest.mark.parametrize("rightness", [0.6, 0.8, 0.95])
def test_it_is_nearly_as_fast_as_the_best_fixed_length(row: float, rightness: float) -> None:
    world = World(flat(row), draft_s=0.05)

    def source() -> list[Model]:
        return [Model(chance(rightness, rightness))]

    fixed = [rate(world.run(FixedLength(n), source(), 200)) for n in (1, 2, 4, 8, 16, 24)]
    assert rate(world.run(world.policy(), source(), 400)) > 0.9 * max(fixed)


def test_drafting_stops_where_confidence_falls_and_what_does_not_pay_is_not_verified() -> None:
    def claims(position: int) -> tuple[float, bool]:
        return (0.95, True) if position % 5 < 3 else (0.05, False)

    world = World(draft_s=0.1)
    steps = world.run(world.policy(), [Model(claims)], 80)[20:]
    assert max(drafted(steps)) <= 4, "one token of doubt, and no more"
    for s in steps:
        assert all(confidence == 0.95 for confidence in s.draft.confidences)
        assert s.proposed.tokens[: len(s.draft.tokens)] == s.draft.tokens
    assert any(len(s.draft.tokens) < len(s.proposed.tokens) for s in steps)


def test_what_is_kept_of_a_draft_is_what_brings_most() -> None:
    found = budget(warmed(World(STEEP)))
    draft = Draft((1, 2, 3, 4), LOOKUP, (0.95, 0.9, 0.1, 0.9))
    assert found.keep(draft) == 2
    gains = [found.brought(draft, n)[0] for n in range(len(draft.tokens) + 1)]
    assert gains[0] == 0.0 < gains[1] < gains[2] > gains[3]
    assert budget(warmed(World(STEEP))).keep(NO_DRAFT) == 0


def test_what_is_granted_next_depends_on_what_was_taken() -> None:
    found = budget(warmed(World(flat(0.3))))
    assert found.value(LOOKUP, (0.5,))[0] == 1
    found.take(MODEL, (0.4,), 1)
    assert found.value(LOOKUP, (0.5,)) == (0, 0.0), "the first is right in two of five cases only"


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.1, 0.15, 0.9])
def test_what_gains_no_more_than_the_noise_is_not_drafted(noise: float) -> None:
    margin = min(max(noise, LEAST_MARGIN), MOST_MARGIN)
    for gain, drafts in ((0.99 * margin, 0), (1.02 * margin, 1)):
        world = World(flat(0.5), noise=noise)
        found = budget(warmed(world))
        assert found.value(LOOKUP, (0.5 * (1.0 + gain),))[0] == drafts, gain


@pytest.mark.parametrize("row", [0.3, 0.5, 0.9])
def test_a_drafter_whose_gain_equals_its_cost_neither_helps_nor_harms(row: float) -> None:
    world = World(flat(row), draft_s=None)
    steps = world.run(world.policy(), [Found(chance(row, row), 1)], 400)
    assert rate(steps) == pytest.approx(1.0, abs=0.05)
    dear = World(flat(1.2 * row), draft_s=None)
    assert sum(widths(dear.run(dear.policy(), [Found(chance(row, row), 1)], 400))) < 100


def test_now_and_then_two_steps_are_plain_so_that_plain_decoding_is_known_anew() -> None:
    steps = World().run(World().policy(), [Found(always(0.95, True))], 4 * PLAIN_EVERY)
    plain = [i for i, n in enumerate(widths(steps)) if not n][1:]
    pairs = list(zip(plain[::2], plain[1::2], strict=True))
    assert len(pairs) >= 3
    assert all(second == first + 1 for first, second in pairs)
    assert all(b[0] - a[0] <= PLAIN_EVERY + 2 for a, b in pairwise(pairs))


def test_what_returning_to_plain_decoding_costs_is_the_drafts() -> None:
    """A guess now and then that pays for its row alone, where plain steps are replayed."""

    def claims(position: int) -> tuple[float, bool]:
        return (0.95, True) if position % 16 == 0 else (0.02, False)

    costs = World(flat(0.3), draft_s=None, settles=2, returning_s=1.6)
    unaware = CostCurves(Measurement(costs.target_s, {}, costs.noise, settles=2))
    found = [
        rate(dataclasses.replace(costs).run(policy, [Found(claims, 1)], 600))
        for policy in (Measured(Experience(), unaware), costs.policy())
    ]
    assert found[0] < 0.97, "it would be slower"
    assert found[1] > 0.98


class AsWanted(CostCurves):
    """Has no batch wider than it must be."""

    def width(self, rows: int, depth: int) -> int:
        return rows


def test_where_widths_that_stay_are_replayed_more_of_them_stay() -> None:
    """As on a GPU, with drafts of many lengths."""
    gpu = {n: 1.0 + 0.02 * (n - 1) for n in range(1, MOST_ROWS + 1)}
    world = World(gpu, settles=2, returning_s=0.8, replays=True)
    measured = Measurement(gpu, {1: 0.02, MOST_ROWS: 0.04}, world.noise, 2, 0.8)
    gains = []
    for seed in range(8):
        rates = []
        for curves in (AsWanted(measured), CostCurves(measured)):
            sources = [Model(chance(0.9, 0.93, seed))]
            policy = Measured(Experience(), curves)
            steps = dataclasses.replace(world).run(policy, sources, 400)
            rates.append(rate(steps))
            assert all(s.batch >= len(s.draft.tokens) + 1 for s in steps)
            assert any(s.batch > len(s.draft.tokens) + 1 for s in steps) == (len(rates) == 2)
        gains.append(rates[1] / rates[0])
    assert median(gains) > 1.02


@pytest.mark.parametrize("settles", [1, 2, 3])
def test_plain_decoding_is_known_from_steps_that_are_settled(settles: int) -> None:
    world = World(draft_s=None, settles=settles, returning_s=2.0)
    policy = world.policy()
    steps = world.run(policy, [Found(always(0.95, True))], 2 * PLAIN_EVERY)
    assert widths(steps).count(0) >= settles + 2, "the first, and those that show it anew"
    assert policy._curves.target_s(1, policy._depth) == pytest.approx(1.0, rel=0.02)


def test_where_decoding_is_plain_anyhow_no_step_is_kept_from_drafting() -> None:
    policy = warmed(World(STEEP))
    for n in range(3 * PLAIN_EVERY):
        assert budget(policy).limit > 0, n
        policy.observe(step((1,), step_s=1.0))


def test_a_wide_batch_whose_draft_was_cut_to_nothing_is_no_plain_step() -> None:
    """As where the model computed no numbers behind the draft."""
    world = World()
    policy = world.policy()
    world.run(policy, [Found(always(0.95, True))], 40)
    before = policy._curves.relative(100)[7]
    for _ in range(6):
        assert budget(policy).limit >= 0
        policy.observe(replace(step((1,), step_s=9.0), batch=8))
    assert policy._curves.relative(100)[7] == before


def test_the_same_steps_lead_to_the_same_decisions() -> None:
    def decisions() -> list[tuple[int, int]]:
        world = World(flat(0.15), draft_s=0.05)
        sources = [Found(chance(0.4, 0.5), 3), Model(chance(0.7, 0.6, seed=2))]
        steps = world.run(world.policy(), sources, 300)
        return list(zip(drafted(steps), widths(steps), strict=True))

    assert decisions() == decisions()
    assert len(set(decisions())) > 3


def test_a_step_that_was_not_allowed_teaches_nothing() -> None:
    experience = Experience()
    World().policy(experience).observe(step((1, 2), Draft((1,), LOOKUP, (0.5,))))
    assert experience.steps == 0


def test_a_model_is_not_judged_by_the_rate_of_what_a_lookup_found() -> None:
    """Its draft beats plain decoding, and nothing that others find can be had at this place."""
    experience, sure = Experience(), (0.8, 0.8)
    for _ in range(20):
        experience.earned(8, 2.0)
    granted = Budget(experience, World(FLAT, draft_s=0.4).curves(), 8, 100, 1.0)
    for confidence in sure:
        granted.take(MODEL, (confidence,), 1)
    _, brought = granted.brought(Draft((1, 2), MODEL, sure), 2)
    assert experience.rate > 3.0
    assert brought > 0.2
