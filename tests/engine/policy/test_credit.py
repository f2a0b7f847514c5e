"""A draft model that an answer begins badly for is not given up after a few hard tokens."""

from __future__ import annotations

from copy import copy
from statistics import median

import pytest

from engine.policy.credit import LEAST_LENT, LENT, LONG, MOST, NOTHING, Credit
from engine.policy.experience import Experience
from tests.engine.simulated import Claims, Model, World, always, chance, rate

DEAR = {n: 1.42 + 0.08 * n if n > 1 else 1.0 for n in range(1, 33)}
"""As of a model of a billion parameters on two cores of a server."""
BEGIN = 100


def left(credit: Credit) -> float:
    """What is left of it, to a thousandth, by how much it bears until that is as good as none."""
    for n in range(1, 9999):
        tried = copy(credit)
        tried.asked(1, 1.0 + n / 1000)
        if not tried.is_left:
            return n / 1000 + NOTHING
    raise AssertionError("it bears whatever it is charged with")


def test_an_answer_lends_so_much_and_what_it_brings_is_credit_too() -> None:
    credit = Credit()
    assert left(credit) == pytest.approx(LENT, abs=0.002)
    credit.asked(2, 1.5)
    assert left(credit) == pytest.approx(LENT + 0.5, abs=0.002)
    credit.asked(9, 2.0)
    assert left(credit) == pytest.approx(MOST, abs=0.002)
    credit.asked(1, 99.0)
    assert not credit.is_left
    credit.asked(2, 1.5)
    assert left(credit) == pytest.approx(0.5, abs=0.002)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0, 4.0])
def test_a_short_answer_lends_its_share_of_a_long_one(share: float) -> None:
    credit = Credit()
    credit.begin(share * LONG)
    assert left(credit) == pytest.approx(min(1.0, share) * LENT, abs=0.002)


@pytest.mark.parametrize("n", [3, 6, 12])
def test_a_useless_one_costs_a_chat_of_short_answers_less_than_two_percent(n: int) -> None:
    world, experience, times = World(DEAR, draft_s=0.15, widest=8.0), Experience(), []
    for _ in range(40):
        source = Model(always(0.4, False), missed=0.25, held=BEGIN - 1)
        steps = world.run(world.policy(experience), [source], n, BEGIN)
        times.append(sum(step.step_s for step in steps) / len(steps))
    assert sum(times[20:]) / 20 < 1.02


def test_answers_that_lose_it_lend_less_and_less_and_others_more_again() -> None:
    credit, lent = Credit(), []
    for cost in (99.0, 99.0, 99.0, 99.0, 1.0, 1.0, 1.0, 1.0):
        credit.asked(1, cost)
        credit.begin()
        lent.append(left(credit) / LENT)
    assert lent == pytest.approx([0.5, 0.25, 0.125, 0.125, 0.25, 0.5, 1.0, 1.0], abs=0.01)
    assert LEAST_LENT == 0.125 * LENT


@pytest.mark.parametrize("hard", [6, 8])
def test_hard_tokens_at_the_beginning_do_not_end_a_good_draft_model(hard: int) -> None:
    """Where what it misses costs more to read than is saved meanwhile."""
    rates = []
    for seed in range(8):
        good = chance(0.8, 0.8, seed)

        def claims(position: int, good: Claims = good) -> tuple[float, bool]:
            return good(position) if position >= BEGIN + hard else (0.35, False)

        world = World(DEAR, draft_s=0.1, widest=8.0)
        source = Model(claims, missed=0.25, held=BEGIN - 1)
        rates.append(rate(world.run(world.policy(), [source], 90, BEGIN)[10:]))
    assert median(rates) > 1.35


@pytest.mark.parametrize("confidence", [0.1, 0.4, 0.7])
def test_a_useless_one_loses_little_more_than_that_in_an_answer(confidence: float) -> None:
    world, experience, lost = World(DEAR, draft_s=0.15, widest=8.0), Experience(), []
    for _ in range(4):
        source = Model(always(confidence, False), missed=0.25, held=BEGIN - 1)
        steps = world.run(world.policy(experience), [source], 128, BEGIN)
        lost.append(sum(s.step_s for s in steps) - len(steps))
    assert lost[0] < LENT + 2.5, "and one draft that was believed"
    assert lost[3] < 1.0
