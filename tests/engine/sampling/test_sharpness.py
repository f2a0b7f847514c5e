"""The draft's sharpness is learnt from what the target says, and changes nothing that it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.sampling.sampler import Distribution
from engine.sampling.sharpness import FACTORS, Sharpness, chances
from engine.sampling.truncation import Support
from engine.verifiers.coupled import Coupled
from tests.engine.fakes import TableDecoder, sampler
from tests.engine.running import one_by_one, run


class Flat(TableDecoder):
    """The target's own rows, less sure of themselves: as draft models are."""

    def row(self, context):  # type: ignore[no-untyped-def]
        return super().row(context) / 2.5


class Sharp(TableDecoder):
    """The target's own rows, too sure of themselves."""

    def row(self, context):  # type: ignore[no-untyped-def]
        return super().row(context) * 1.5


def accepted(sharpness: Sharpness | None, decoder: Callable[[], TableDecoder]) -> float:
    """The acceptance rate over some answers, each of which must be the plain one."""
    steps = []
    for seed in range(12):
        drawn = sampler(1.2, seed=seed)
        drafter = DraftModel(TokenCache(decoder()), 24)
        reader, done = run(drafter, drawn, verifier=Coupled(drawn, sharpness))
        assert reader.tokens == one_by_one(drawn)
        steps += done
    return sum(s.accepted for s in steps) / sum(s.tested for s in steps)


def test_a_flat_draft_model_is_sharpened_and_guesses_better() -> None:
    sharpness = Sharpness()
    learnt = accepted(sharpness, Flat)
    assert sharpness.factor >= 2.0
    assert learnt > accepted(None, Flat) + 0.1


def test_a_draft_model_that_is_as_sharp_as_its_target_or_sharper_is_left_alone() -> None:
    sharpness = Sharpness()
    assert accepted(sharpness, TableDecoder) == 1.0
    accepted(sharpness, Sharp)
    assert sharpness.factor == 1.0


def test_a_certain_draft_teaches_nothing() -> None:
    sharpness = Sharpness()
    for _ in range(100):
        sharpness.observe(law(0.5, 0.5), law(1.0))
    assert sharpness.factor == 1.0


def test_a_certain_target_wants_the_likeliest_token() -> None:
    sharpness = Sharpness()
    for _ in range(10):
        sharpness.observe(law(1.0, 0.0), law(0.7, 0.3))
    assert sharpness.factor == max(FACTORS)


def law(*probs: float) -> Distribution:
    kept = np.flatnonzero(probs)
    return Distribution(kept, np.array(probs)[kept])


def logits(distribution: Distribution) -> Support:
    return Support(distribution.ids, np.log(distribution.probs))


@pytest.mark.parametrize(
    ("target", "draft"),
    [
        (law(0.6, 0.3, 0.1), law(0.6, 0.3, 0.1)),
        (law(0.6, 0.3, 0.1), law(0.2, 0.5, 0.3)),
        (law(0.6, 0.0, 0.4), law(0.1, 0.8, 0.1)),
        (law(0.5, 0.5), law(0.0, 0.3, 0.7)),
        (law(1.0), law(0.0, 1.0)),
    ],
    ids=range(5),
)
def test_the_chance_to_meet_is_what_draws_with_one_noise_show(
    target: Distribution, draft: Distribution
) -> None:
    n = 20_000
    drawn = sampler(1.0)
    for factor in (1.0, 2.0):
        met = 0
        for position in range(n):
            said = drawn.pick_bent(logits(target), 1.0, position)
            met += said == drawn.pick_bent(logits(draft), factor, position)
        chance = float(chances(target, draft, np.array([factor]))[0])
        assert abs(met / n - chance) < 4 * np.sqrt(chance * (1 - chance) / n) + 1e-9
    distance = 1.0 - sum(
        min(p, draft.prob(int(t))) for t, p in zip(target.ids, target.probs, strict=True)
    )
    unbent = float(chances(target, draft, np.ones(1))[0])
    assert (1 - distance) / (1 + distance) <= unbent + 1e-9 <= 1 - distance + 2e-9
