"""How far a drafter is believed follows from how often it was right."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from engine.policy.trust import EDGES, FIRST_TYPICAL, SUREST, UNTESTED, Trust

CLAIMS = (0.15, 0.45, 0.75, 0.92, 0.99)


def taught(
    true_chance: dict[float, float], tests: int = 400, trust: Trust | None = None, seed: int = 3
) -> Trust:
    """Teach what happens to claims in random order."""
    trust, rng = trust or Trust(), random.Random(seed)
    for _ in range(tests):
        claim = rng.choice(list(true_chance))
        trust.learn(claim, rng.random() < true_chance[claim])
    return trust


def usual(trust: Trust, claim: float, true_chance: dict[float, float]) -> float:
    """Return the mean chance of a claim over many tests more."""
    return fmean(taught(true_chance, 1, trust, seed).chance(claim) for seed in range(400))


def test_at_first_the_drafter_is_believed_but_not_that_it_is_sure() -> None:
    trust = Trust()
    believed = [min(UNTESTED, claim) for claim in CLAIMS]
    assert [trust.chance(claim) for claim in CLAIMS] == pytest.approx(believed)
    trust.learn(0.99, hit=True)
    assert trust.chance(0.99) > 0.99


def test_that_it_is_wrong_of_late_counts_at_all_confidences_and_passes() -> None:
    trust = taught({0.75: 0.75, 0.99: 0.99}, 2000)
    before = [trust.chance(claim) for claim in (0.75, 0.99)]
    for _ in range(4):
        trust.learn(0.92, hit=False)
    after = [trust.chance(claim) for claim in (0.75, 0.99)]
    odds = [chance / (1.0 - chance) for chance in (*before, *after)]
    assert odds[2] < 0.6 * odds[0]
    assert after[1] > 0.95, "what was nearly always right is far from a coin's toss"
    taught({0.15: 0.15}, 200, trust)
    assert [trust.chance(claim) for claim in (0.75, 0.99)] == pytest.approx(before, abs=0.1)


def test_a_calibrated_drafter_stays_believed() -> None:
    trust = taught({claim: claim for claim in CLAIMS}, 2000)
    for claim in CLAIMS:
        assert trust.chance(claim) == pytest.approx(claim, abs=0.15)


def test_one_that_claims_too_much_is_found_out() -> None:
    trust = taught({0.9: 0.3, 0.5: 0.1})
    assert usual(trust, 0.9, {0.9: 0.3, 0.5: 0.1}) == pytest.approx(0.3, abs=0.05)
    assert usual(trust, 0.5, {0.9: 0.3, 0.5: 0.1}) == pytest.approx(0.1, abs=0.05)


def test_one_that_claims_too_little_is_found_out() -> None:
    trust = taught({0.3: 0.9})
    assert trust.chance(0.3) > 0.75


def test_a_claim_never_made_is_believed_as_the_drafter_deserves_elsewhere() -> None:
    boaster, honest = taught({0.9: 0.3}), taught({0.9: 0.9})
    assert boaster.chance(0.55) < 0.3 < 0.5 < honest.chance(0.55) < 0.65


def test_a_long_record_of_misses_is_forgotten_once_the_drafter_is_right_again() -> None:
    trust = taught({0.95: 0.02, 0.8: 0.02}, 1000)
    assert trust.chance(0.95) < 0.1
    for _ in range(5):
        trust.learn(0.95, hit=True)
    assert trust.chance(0.95) > 0.9 and trust.chance(0.8) > 0.75


def test_a_few_hits_in_a_row_change_no_record_of_hit_or_miss() -> None:
    trust = taught({0.95: 0.5}, 1000)
    for _ in range(6):
        trust.learn(0.95, hit=True)
    assert trust.chance(0.95) < 0.85
    assert usual(trust, 0.95, {0.95: 0.5}) == pytest.approx(0.5, abs=0.05)


def test_misses_that_a_record_all_but_rules_out_are_believed_at_once() -> None:
    trust, coin = taught({0.95: 0.99}, 1000), taught({0.95: 0.5}, 1000)
    before = coin.chance(0.95)
    for learner in (trust, coin):
        for _ in range(2):
            learner.learn(0.95, hit=False)
    assert trust.chance(0.95) < 0.6
    assert coin.chance(0.95) > before - 0.12


def test_one_that_always_claims_to_be_certain_is_believed_again_when_it_is_right() -> None:
    trust = taught({1.0: 0.0}, 1000)
    assert max(trust.chance(1.0), trust.chance(0.97)) < 0.1
    taught({1.0: 1.0}, 200, trust)
    assert trust.chance(0.97) > 0.4


def test_confidences_of_one_bin_are_told_apart_only_while_little_is_known() -> None:
    trust = taught({0.75: 0.75})
    assert trust.chance(0.71) == pytest.approx(trust.chance(0.79), abs=0.02)
    assert Trust().chance(0.71) + 0.05 < Trust().chance(0.79)


def test_a_new_topic_is_noticed_and_the_old_one_forgotten() -> None:
    trust = taught({0.9: 0.95})
    assert trust.chance(0.9) > 0.8
    taught({0.9: 0.1}, 100, trust)
    assert trust.chance(0.9) < 0.3
    taught({0.9: 0.95}, 100, trust)
    assert trust.chance(0.9) > 0.75


@pytest.mark.parametrize("hit", [True, False])
@pytest.mark.parametrize("claim", [0.0, *EDGES, 1.0])
def test_a_chance_is_a_chance_and_nothing_is_certain(claim: float, hit: bool) -> None:
    trust = Trust()
    for _ in range(1000):
        assert 0.0 <= trust.chance(claim) < 1.0
        trust.learn(claim, hit)
    assert trust.chance(0.999999) <= (SUREST + 1) / 2 + 0.5


def test_what_is_typical_follows_what_is_met() -> None:
    trust = Trust()
    assert trust.typical == FIRST_TYPICAL
    for _ in range(200):
        trust.meet(0.2)
    assert trust.typical == pytest.approx(0.2, abs=0.01)
    for _ in range(16):
        trust.meet(0.9)
    assert 0.6 < trust.typical < 0.75
