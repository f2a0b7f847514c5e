"""How far a drafter is believed follows from how often it was right."""

from __future__ import annotations

import random

import pytest

from engine.trust import EDGES, FIRST_TYPICAL, SUREST, Trust

CLAIMS = (0.15, 0.45, 0.75, 0.92, 0.99)


def taught(true_chance: dict[float, float], tests: int = 400, trust: Trust | None = None) -> Trust:
    """Teach what happens to claims in random order, with fixed seeds."""
    trust, rng = trust or Trust(), random.Random(3)
    for _ in range(tests):
        claim = rng.choice(list(true_chance))
        trust.learn(claim, rng.random() < true_chance[claim])
    return trust


def test_at_first_the_drafter_is_believed() -> None:
    trust = Trust()
    assert [trust.chance(claim) for claim in CLAIMS] == pytest.approx(CLAIMS)


def test_a_calibrated_drafter_stays_believed() -> None:
    trust = taught({claim: claim for claim in CLAIMS}, 2000)
    for claim in CLAIMS:
        assert trust.chance(claim) == pytest.approx(claim, abs=0.15)


def test_one_that_claims_too_much_is_found_out() -> None:
    trust = taught({0.9: 0.3, 0.5: 0.1})
    assert trust.chance(0.9) == pytest.approx(0.3, abs=0.15)
    assert trust.chance(0.5) < 0.25


def test_one_that_claims_too_little_is_found_out() -> None:
    trust = taught({0.3: 0.9})
    assert trust.chance(0.3) > 0.75


def test_a_claim_never_made_is_believed_as_the_drafter_deserves_elsewhere() -> None:
    boaster, honest = taught({0.9: 0.3}), taught({0.9: 0.9})
    assert boaster.chance(0.55) < 0.3 < 0.5 < honest.chance(0.55) < 0.65


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
    for _ in range(24):
        trust.meet(0.9)
    assert 0.6 < trust.typical < 0.75
