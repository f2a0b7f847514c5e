"""What the policy learns from steps, and how soon it notices that something changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

import pytest

from engine.drafting.growing import Growing
from engine.policy.experience import FIRST_PROMISE, PROBE_SHARE, Experience, Record
from engine.policy.trust import Trust
from engine.types import Allowance, Draft, Step
from tests.engine.fakes import step
from tests.engine.simulated import (
    FLAT,
    LOOKUP,
    MODEL,
    STEEP,
    WRONG,
    Claims,
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

CLAIMS = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)
"""Each in a bin of its own."""


def chances(trust: Trust) -> list[float]:
    return [trust.chance(claim) for claim in CLAIMS]


def taught(places: int, right: int) -> list[float]:
    """The chances after so many places of the draft were learnt, of which so many were right."""
    trust = Trust()
    for place in range(places):
        trust.learn(CLAIMS[place], place < right)
    return chances(trust)


@pytest.mark.parametrize("noted", [False, True], ids=["drafted", "noted"])
@pytest.mark.parametrize(
    ("verified", "right", "places"),
    [(8, 3, 4), (8, 0, 1), (3, 8, 4), (0, 8, 1), (3, 1, 2), (2, 2, 3), (7, 8, 8)],
)
def test_nothing_is_learnt_behind_a_difference_nor_behind_what_was_said(
    verified: int, right: int, places: int, noted: bool
) -> None:
    experience = Experience()
    policy = warmed(World(), experience)
    allowance = budget(policy)
    tokens = tuple(i if i < right else WRONG for i in range(len(CLAIMS)))
    said = tuple(range(min(verified, right) + 1))
    uncut = Draft(tokens, LOOKUP, CLAIMS)
    if noted:
        allowance.note(LOOKUP, tokens, CLAIMS)
        said = tuple(range(verified + 1))
        uncut = Draft(tuple(range(len(CLAIMS))), MODEL, (0.5,) * len(CLAIMS))
    policy.observe(step(said, uncut.first(verified), uncut, step_s=1.0))
    assert chances(experience.of(LOOKUP).trust) == taught(places, right)
    assert places == len(CLAIMS) or taught(places, right) != taught(places + 1, right)


def test_a_draft_accepted_whole_teaches_nothing_beyond_its_end() -> None:
    experience = Experience()
    policy = warmed(World(), experience)
    budget(policy)
    policy.observe(step((0, 1, 2), Draft((0, 1), LOOKUP, CLAIMS[:2]), step_s=1.0))
    assert chances(experience.of(LOOKUP).trust) == taught(2, 2)


def test_the_winners_noted_guess_is_not_learnt_twice() -> None:
    draft = Draft((0, WRONG), LOOKUP, (0.55, 0.65))

    def learnt(notes: bool) -> float:
        experience = Experience()
        policy = warmed(World(), experience)
        allowance = budget(policy)
        if notes:
            allowance.note(LOOKUP, draft.tokens, draft.confidences)
        policy.observe(step((0, 1), draft, step_s=1.0))
        return experience.of(LOOKUP).trust.chance(0.55)

    assert learnt(True) == learnt(False) > 0.55


class Reading(Model):
    """Reads what it has missed when it is first asked, and drafts nothing."""

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        return 0.0 if self.held else 9.0

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        self.held = len(context)
        allowance.take(self.name, (), 2)


@pytest.mark.parametrize("claim", [0.3, 0.8], ids=["noted", "verified"])
def test_a_guess_that_is_looked_up_again_behind_a_read_is_taken_in_once(claim: float) -> None:
    def taken_in(*others: Model) -> tuple[float, list[bool]]:
        experience, world = Experience(), World(STEEP, draft_s=1e-9)
        policy = warmed(world, experience)
        (made,) = world.run(policy, [Found(always(claim, False), 1), *others], 1)
        assert bool(made.draft.tokens) == (claim > 0.5)
        record = experience.of(LOOKUP)
        affords = [record.purse.affords(1.05 + 0.1 * tenths) for tenths in range(40)]
        return record.trust.chance(claim), affords

    reading = Reading(always(0.9, True))
    assert taken_in(reading) == taken_in()
    assert reading.held


def test_each_token_of_a_mixed_draft_teaches_of_who_drafted_it() -> None:
    experience = Experience()
    policy = warmed(World(), experience)
    budget(policy)
    mixed = Draft((0, 1, WRONG), LOOKUP, (0.55, 0.55, 0.55), (), (LOOKUP, MODEL, LOOKUP))
    policy.observe(step((0, 1, 2), mixed, step_s=1.0))
    assert experience.of(MODEL).trust.chance(0.55) > 0.6
    assert experience.of(LOOKUP).trust.chance(0.55) < 0.6


def test_a_model_that_lagged_is_believed_by_what_it_would_have_drafted() -> None:
    experience, world = Experience(), World()
    policy = world.policy(experience)
    world.run(policy, [Model(always(0.9, False))], 300)
    allowance = budget(policy)
    allowance.take(MODEL, (0.9,), 1)
    assert allowance.outlook(MODEL, 1) == 0.0
    allowance = budget(policy)
    missed = allowance.hindsight
    allowance.review(MODEL, (0.9,) * missed, (True,) * missed)
    allowance.take(MODEL, (0.9,), missed + 1)
    assert allowance.outlook(MODEL, 1) > 2.0


@pytest.mark.parametrize("costs", [FLAT, STEEP], ids=["flat", "steep"])
@pytest.mark.parametrize("confidence", [0.3, 0.5, 0.9])
def test_a_useless_drafter_is_left_alone_and_asked_for_what_was_saved(
    confidence: float, costs: dict[int, float]
) -> None:
    world = World(costs, draft_s=0.02)
    steps = world.run(world.policy(), [Model(always(confidence, False))], 1500)
    later = drafted(steps)[200:]
    asked = [i for i, n in enumerate(later) if n]
    rarest = max(later - sooner for sooner, later in pairwise(asked))
    assert sum(s.draft_s for s in steps[200:]) < 1.05 * PROBE_SHARE * len(later)
    assert rarest <= 1.5 * 0.02 / PROBE_SHARE, "what was saved is spent"
    assert all(n <= 1 for n in later), "a probe is one token"
    assert sum(s.step_s for s in steps[:400]) < 1.02 * 400


def test_a_dear_drafter_is_asked_so_rarely_that_its_probes_cost_little() -> None:
    world = World(draft_s=0.9)
    steps = world.run(world.policy(), [Model(always(0.5, False))], 2000)
    later = steps[400:]
    assert sum(s.draft_s for s in later) < 0.015 * len(later)


def test_what_one_answer_taught_the_next_one_knows() -> None:
    world, experience = World(STEEP), Experience()
    boastful = [Found(always(0.95, False))]
    assert sum(widths(world.run(world.policy(experience), boastful, 100))) > 0
    assert sum(widths(world.run(world.policy(experience), boastful, 100))) == 0


def changed(
    source: Model | Found, first: Claims, then: Claims, world: World, after: int = 800
) -> list[int]:
    """How many tokens were verified in the steps behind a change of topic."""
    policy = world.policy()
    source.claims = first
    world.run(policy, [source], after)
    source.claims = then
    return widths(world.run(policy, [source], 1200, start=50_000))


def begins_to_draft(n: list[int]) -> int:
    """The step from which on ten in a row have a draft."""
    return next((i for i in range(len(n) - 10) if min(n[i : i + 10]) > 0), len(n))


@pytest.mark.parametrize(
    ("source", "confidence", "most"),
    [
        (Model(always(0, False)), 0.9, 300),
        (Model(always(0, False)), 0.5, 1100),
        (Found(always(0, False)), 0.9, 40),
        (Found(always(0, False)), 0.5, 40),
    ],
    ids=["model", "model that knows no better", "lookup", "lookup that knows no better"],
)
def test_a_drafter_that_becomes_good_is_used_again_within_some_steps(
    source: Model | Found, confidence: float, most: int
) -> None:
    n = changed(source, always(0.5, False), always(confidence, True), World())
    assert begins_to_draft(n) < most


@pytest.mark.parametrize("source", [Model(always(0, True)), Found(always(0, True))], ids=type)
@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_a_drafter_that_becomes_bad_is_dropped_within_some_steps(
    source: Model | Found, confidence: float
) -> None:
    world, policy = World(), World().policy()
    source.claims = always(confidence, True)
    world.run(policy, [source], 300)
    source.claims = always(confidence, False)
    steps = world.run(policy, [source], 400, start=50_000)
    assert sum(n > 0 for n in drafted(steps)[200:]) < 1.1 * 200 * PROBE_SHARE / 0.02
    assert rate(steps) > 0.96, "and what that took is little"


@pytest.mark.parametrize("source", [Model(always(0.95, True)), Found(always(0.95, True))], ids=type)
def test_costs_that_were_estimated_too_high_are_found_out(source: Model | Found) -> None:
    far_too_dear = {n: 1.0 if n == 1 else 4 * cost for n, cost in STEEP.items()}
    world = World(FLAT, measured=far_too_dear)
    n = widths(world.run(world.policy(), [source], 1500))
    assert begins_to_draft(n) < 600


@pytest.mark.parametrize("seed", [1, 2, 12])
def test_a_drafter_that_only_wrong_costs_made_too_dear_drafts_soon_after_they_are_found_out(
    seed: int,
) -> None:
    costs = {n: 1.3 + 0.1 * n if n > 1 else 1.0 for n in FLAT}
    too_dear = {n: 2.5 * cost if n > 1 else cost for n, cost in costs.items()}
    world = World(costs, draft_s=0.1, measured=too_dear)
    assert rate(world.run(world.policy(), [Model(chance(0.9, 0.9, seed))], 400)) > 1.5


def test_one_draft_that_cost_far_less_than_was_known_may_be_luck() -> None:
    experience = Experience()
    record = experience.of(MODEL)
    record.promise = -0.1
    experience.verified(brought=0.0, was_cheap=True)
    assert record.promise < 0.0
    experience.verified(brought=0.0, was_cheap=True)
    assert record.promise == FIRST_PROMISE


def test_costs_that_were_estimated_too_low_are_found_out() -> None:
    world = World(STEEP, measured=FLAT)
    steps = world.run(world.policy(), [Found(always(0.35, False))], 400)
    assert sum(widths(steps)[200:]) == 0
    right = world.run(world.policy(), [Found(always(0.35, True))], 10)
    assert any(widths(right))


@pytest.mark.parametrize(("kind", "right"), [(Model, 0.7), (Found, 0.6)], ids=["Model", "Found"])
@pytest.mark.parametrize("dearer", [2.0, 3.0])
def test_drafts_that_get_dearer_beside_a_plain_step_are_found_out(
    kind: type[Model] | type[Found], right: float, dearer: float
) -> None:
    """As on a machine whose cores are taken: what computes is slower, what waits for memory not."""
    costs = {n: 1.3 + 0.04 * n if n > 1 else 1.0 for n in FLAT}
    found_out, regained = [], []
    for seed in range(1, 6):
        world, source = World(costs, draft_s=0.1), kind(chance(right, right, seed))
        policy = world.policy()
        before = world.run(policy, [source], 300)
        assert rate(before) > 1.3
        world.target_s = {n: cost * dearer if n > 1 else cost for n, cost in costs.items()}
        steps = world.run(policy, [source], 700, start=50_000)
        found_out.append(rate(steps[100:]))
        assert rate(steps[:100]) > 0.65
        world.target_s = costs
        again = world.run(policy, [source], 1500, start=90_000)
        regained.append(rate(again[750:]) / rate(before))
    assert median(found_out) > 0.93
    assert median(regained) > 0.8, "and so is that it has gone by"


@pytest.mark.parametrize(("row", "least", "most"), [(0.04, 1, 12), (0.6, 16, 40)])
def test_on_a_restless_machine_a_doubt_that_decides_nothing_is_looked_into_seldom(
    row: float, least: int, most: int
) -> None:
    """Where drafts say many tokens in the time of a plain step, or hardly more than one."""
    costs = {n: 1.0 + row * (n - 1) for n in FLAT}
    world, source = World(costs, draft_s=None), Found(always(0.97, True))
    policy, n = world.policy(), list[int]()
    for slower in (1.0, 2.0, 1.0, 3.0) * 5:
        world.target_s = {rows: slower * cost for rows, cost in costs.items()}
        n += widths(world.run(policy, [source], 10, start=1000 * len(n)))
    assert least <= n.count(0) <= most


def test_a_model_that_has_missed_much_is_still_asked_now_and_then() -> None:
    """Where catching up is cheap: else it costs more than may be saved, and the next answer, in
    which nothing is missed, asks it.
    """
    world = World(draft_s=0.1, widest=4.1)
    source = Model(chance(0.5, 0.1), missed=0.1)
    policy = world.policy()
    useless = world.run(policy, [source], 300)
    assert rate(useless) > 0.98
    source.claims = chance(0.5, 0.92)
    n = widths(world.run(policy, [source], 1000, start=useless[-1].tokens[-1]))
    assert begins_to_draft(n) < 700


def test_what_is_read_in_parts_costs_as_much_as_at_once_and_goes_on_when_it_has_begun() -> None:
    at_once, in_parts = Record(), Record()
    for record in (at_once, in_parts):
        record.promise = -0.1
        assert not record.is_due(300, 0.1, missed=5.0, lag=700)
        assert record.is_due(400, 0.1, missed=5.0, lag=700)
    in_parts.read(2.0)
    assert in_parts.is_due(401, 0.1, missed=3.0, lag=701)
    in_parts.read(2.0)
    assert in_parts.is_due(402, 0.1, missed=1.0, lag=702)
    for record in (at_once, in_parts):
        record.credit.asked(1, 9.0)
    in_parts.asked(0.0, 1.1, 402, was_right=False)
    at_once.asked(0.0, 5.1, 402, was_right=False)
    assert in_parts.saved(500) == pytest.approx(at_once.saved(500))


DEAR = World({n: 1.0 + 0.14 * (n - 1) for n in range(1, 33)}, draft_s=0.4, widest=5.85)
"""A draft model of a third of the target's size."""


def answers(experience: Experience, lengths: Sequence[int], lag: int) -> list[float]:
    """The rate of each of some answers, at whose beginning the model has missed so many tokens."""
    rates = []
    for n_tokens in lengths:
        model = Model(chance(0.85, 0.85, seed=len(rates)), missed=0.156, held=1000 - lag)
        policy, made = DEAR.policy(experience), list[Step]()
        while sum(len(step.tokens) for step in made) < n_tokens:
            start = made[-1].tokens[-1] + 1 if made else 1000
            made += DEAR.run(policy, [model], 1, start)
        rates.append(rate(made[1:]))
    return rates


def test_what_short_answers_do_not_earn_back_is_not_caught_up_with() -> None:
    rates = answers(Experience(), [30] * 12, lag=256)
    assert min(rates[3:]) > 0.97, rates


def test_where_little_was_missed_short_answers_are_drafted_for() -> None:
    rates = answers(Experience(), [30] * 12, lag=4)
    assert fmean(rates[4:]) > 1.1, rates


def test_a_long_answer_among_short_ones_is_caught_up_with_when_it_is_seen_to_be_long() -> None:
    experience = Experience()
    assert answers(experience, [30] * 8 + [900], lag=256)[-1] > 1.05


def test_a_model_that_nobody_knows_yet_is_tried_in_the_first_answer() -> None:
    assert answers(Experience(), [400], lag=256)[0] > 1.05
