"""The draft's sharpness is learnt from what the target says, and changes nothing that it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.drafters import Parts
from engine.drafters.draft_model import DraftModel
from engine.sharpness import FACTORS, Sharpness
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
        drafter = DraftModel(Parts(decoder(), 24))
        reader, done = run(drafter, drawn, verifier=Coupled(drawn, sharpness))
        assert reader.tokens == one_by_one(drawn)
        steps += done
    return sum(s.accepted for s in steps) / sum(s.tested for s in steps)


def test_a_flat_draft_model_is_sharpened_and_guesses_better() -> None:
    sharpness = Sharpness()
    learnt = accepted(sharpness, Flat)
    assert FACTORS[sharpness.best] >= 2.0
    assert learnt > accepted(None, Flat) + 0.1


def test_a_draft_model_that_is_as_sharp_as_its_target_or_sharper_is_left_alone() -> None:
    sharpness = Sharpness()
    assert accepted(sharpness, TableDecoder) == 1.0
    accepted(sharpness, Sharp)
    assert FACTORS[sharpness.best] == 1.0


def test_tokens_on_which_all_factors_agree_teach_nothing() -> None:
    sharpness = Sharpness()
    sharpness.observe([3] * len(FACTORS), 3)
    sharpness.observe([3] * len(FACTORS), 4)
    assert sharpness.best == 0
    for _ in range(4):
        sharpness.observe([1] * (len(FACTORS) - 1) + [2], 2)
    assert sharpness.best == len(FACTORS) - 1


def test_the_noise_of_a_sharpened_guess_is_the_targets() -> None:
    drawn = sampler(0.8)
    row = np.random.default_rng(1).normal(scale=3.0, size=24).astype(np.float32)
    for position in range(50):
        guesses = drawn.picks(row, [], position, np.array([1.0, 1.0]))
        assert guesses == [drawn.pick(row, [], position)] * 2
