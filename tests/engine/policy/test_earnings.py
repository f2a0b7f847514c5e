"""A drafter that did pay is asked again in the same answer, though a stretch of it was unlucky."""

from __future__ import annotations

import pytest

from engine.policy.earnings import FIRST_GAP, MOST, SHARE, Earnings
from tests.engine.simulated import Model, World, chance, rate

ROW_S = 0.06


def earned(*brought: float) -> Earnings:
    earnings = Earnings()
    for one in brought:
        earnings.earned(one)
    return earnings


def test_a_share_of_what_asking_brought_may_be_spent_after_a_gap() -> None:
    earnings = earned(5.0, -3.0, 5.0)
    assert earnings.afford(10.0 * SHARE, FIRST_GAP)
    assert not earnings.afford(10.0 * SHARE, FIRST_GAP - 1)
    assert not earnings.afford(10.1 * SHARE, FIRST_GAP)
    assert not earned(*[100.0] * 9).afford(MOST + 0.1, FIRST_GAP)


def test_the_gap_doubles_with_each_time_in_vain_until_it_pays_again_or_the_answer_ends() -> None:
    earnings = earned(100.0)
    earnings.spent(1.0)
    earnings.spent(1.0)
    assert not earnings.afford(1.0, 4 * FIRST_GAP - 1) and earnings.afford(1.0, 4 * FIRST_GAP)
    earnings.begin()
    assert earnings.afford(MOST - 2.0, FIRST_GAP) and not earnings.afford(MOST - 1.9, FIRST_GAP)
    earnings.spent(1.0)
    earnings.earned(0.0)
    assert earnings.afford(1.0, FIRST_GAP)


@pytest.mark.parametrize("bad", [50, 150])
@pytest.mark.parametrize(("draft_s", "missed"), [(0.05, 0.3), (0.1, 0.13), (0.1, 0.3)])
def test_behind_a_stretch_that_nobody_could_draft_it_drafts_again(
    draft_s: float, missed: float, bad: int
) -> None:
    """Reading a token that it missed costs more than what is saved for asking it meanwhile."""
    target_s = {n: 1.0 + ROW_S * (n - 1) for n in range(1, 33)}
    for seed in range(6):
        world = World(target_s, draft_s=draft_s, widest=1.0 + 31 * missed)
        source, policy = Model(chance(0.85, 0.9, seed), missed=missed, held=99), world.policy()
        good = world.run(policy, [source], 80)
        source.claims = chance(0.85, 0.02, seed)
        useless = world.run(policy, [source], bad, good[-1].tokens[-1] + 1)
        source.claims = chance(0.85, 0.9, seed)
        again = world.run(policy, [source], 250, useless[-1].tokens[-1] + 1)
        assert rate(again) > 1.3
        assert rate([*good, *useless, *again]) > 0.7 * rate(good)
