"""What rejection calls a near-tie. That what it emits follows the law is tested in test_law.py."""

from __future__ import annotations

import numpy as np

from engine.arrays import Logits
from engine.sampling.sampler import Sampler
from engine.settings import SamplingSettings
from engine.types import Draft, Verdict
from engine.verifiers.rejection import Rejection
from tests.engine.fakes import noise_for

N_VOCAB, MARGIN = 12, 0.2
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}


def decided(seed: int, drafted: Logits, wanted: Logits) -> Verdict:
    """The verdict on one token drawn from the row `drafted`, by a verifier that starts anew."""
    settings = SamplingSettings(temperature=0.5, seed=seed, **OFF)  # type: ignore[arg-type]
    verifier = Rejection(Sampler(settings, noise_for(MARGIN)))
    pick = verifier.pick(drafted, [], 0)
    draft = Draft((pick.token,), "a drafter", (pick.confidence,), (pick.probs,))
    return verifier.verify([0], draft, wanted)


def test_a_decision_that_is_no_near_tie_survives_every_change_within_the_margin() -> None:
    rng = np.random.default_rng(8)
    near_ties = 0
    for seed in range(300):
        drafted, *wanted = rng.normal(size=(3, N_VOCAB)).astype(np.float32)
        verdict = decided(seed, drafted, np.array(wanted))
        if 0 in verdict.near_ties:
            near_ties += 1
            continue
        for _ in range(6):
            shift = rng.choice([-1.0, 1.0], size=(2, N_VOCAB)) * MARGIN / 2 * 0.99
            other = decided(seed, drafted, (np.array(wanted) + shift).astype(np.float32))
            assert other.accepted == verdict.accepted
    assert 3 < near_ties < 200, "neither none nor all"


def bonus(chances: int, row: Logits, **cuts: float) -> list[tuple[int, bool]]:
    """Tokens drawn without a draft, and whether each was called a near-tie."""
    settings = SamplingSettings(temperature=0.5, seed=1, **{**OFF, **cuts})  # type: ignore[arg-type]
    verifier = Rejection(Sampler(settings, noise_for(MARGIN)))
    verdicts = [verifier.verify([0], Draft(), row[None].copy()) for _ in range(chances)]
    return [(verdict.tokens[0], verdict.near_ties == (0,)) for verdict in verdicts]


def test_an_own_draw_that_is_no_near_tie_survives_every_change_within_the_margin() -> None:
    rng = np.random.default_rng(9)
    sure = 0
    for _ in range(30):
        row = (3 * rng.normal(size=N_VOCAB)).astype(np.float32)
        shift = rng.choice([-1.0, 1.0], size=N_VOCAB) * MARGIN / 2 * 0.99
        pairs = zip(bonus(20, row), bonus(20, (row + shift).astype(np.float32)), strict=True)
        for (said, near_tie), (other, _) in pairs:
            sure += not near_tie
            assert near_tie or said == other
    assert 30 < sure < 590, "neither none nor all"


def test_a_draft_token_at_the_rim_is_a_near_tie() -> None:
    settings = SamplingSettings(temperature=0.5, top_k=2, top_p=1.0, min_p=0.0)
    verifier = Rejection(Sampler(settings, noise_for(MARGIN)))
    row = np.array([3.0, 2.0, 1.99, -9.0], dtype=np.float32)
    rows = np.array([row, row])
    assert 0 in verifier.verify([0], Draft((2,), "a drafter", (1.0,)), rows).near_ties
    assert verifier.verify([0], Draft((2,), "a drafter", (1.0,)), rows).tokens[0] != 2
