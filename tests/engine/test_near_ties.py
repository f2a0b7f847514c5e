"""Where batches of other widths round otherwise, the text can part only at a reported near-tie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine import drafters
from engine.cache import common_prefix
from engine.sampling import Sampler
from engine.session import Session
from engine.types import Logits
from tests.engine.fakes import TableDecoder, sampler
from tests.engine.running import PROMPT, run

NOISE = 0.2


class Rounding(TableDecoder):
    """Rows of wide batches are off by up to NOISE, each in its own way."""

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        rows = super().decode(tokens, start, n_rows)
        if len(tokens) > 1:
            rng = np.random.default_rng([len(tokens), start])
            rows += rng.uniform(-NOISE, NOISE, rows.shape).astype(np.float32)
        return rows


def near_ties(steps: Sequence[object]) -> set[int]:
    """Positions in the answer that were reported."""
    found, n = set(), 0
    for step in steps:
        found |= {n + i for i in step.near_ties}  # type: ignore[attr-defined]
        n += len(step.tokens)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.0},
        {"temperature": 0.3},
        {"temperature": 0.8, "repeat_penalty": 1.3},
        {"temperature": 0.8, "top_k": 4, "top_p": 0.7},
        {"temperature": 1.2, "top_k": 0},
        {"temperature": 1.2, "typical_p": 0.8, "min_p": 0.1},
    ],
    ids=str,
)
def test_the_first_difference_is_at_a_reported_near_tie(settings: dict[str, float]) -> None:
    parted = 0
    for seed in range(40):
        exact = sampler(**{**settings, "seed": seed})
        drawn = Sampler(exact.settings, tie_margin=2 * NOISE)
        prompt = [1 + seed % 20, *PROMPT]
        plain, plain_steps = run(sampler=drawn, session=Session(Rounding()), prompt=prompt)
        drafter = drafters.build(
            "draft_model", drafters.Parts(TableDecoder(key=1, closeness=0.8), 24)
        )
        said, steps = run(drafter, drawn, session=Session(Rounding()), prompt=prompt)
        if said.tokens != plain.tokens:
            parted += 1
            first = common_prefix(plain.tokens, said.tokens)
            assert first in near_ties(plain_steps) | near_ties(steps)
    assert parted, "nothing parted: the noise is too small for the test to mean anything"
