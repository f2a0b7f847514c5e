"""How far rows differ, and which part of that counts for a draw."""

from __future__ import annotations

import numpy as np
import pytest

from engine.sampling.sampler import Sampler
from engine.sampling.width_noise import NO_NOISE, REACHES, SAFETY, WidthNoise
from engine.settings import SamplingSettings

TAIL = 70.0
"""Logits that the noisy tokens are behind."""
IN_THE_TAIL = WidthNoise(tuple(0.5 if reach > TAIL else 0.001 for reach in REACHES))
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}


def row_of(*logits: float) -> np.ndarray:
    return np.array(logits, dtype=np.float32)


def test_differences_count_from_how_far_behind_on() -> None:
    """Some models rule tokens out with logits that round by whole numbers."""
    row = row_of(20.0, 19.0, -45.0, -2700.0, -np.inf)
    other = row_of(20.0, 19.25, -46.0, -2703.0, -np.inf)
    noise = WidthNoise.between(row, other)
    assert noise == WidthNoise.between(other, row) == WidthNoise((0.25, 0.25, 1.0, 3.0))
    assert [noise.within(reach) for reach in (0.0, 30.0, 60.1, 1e9)] == [0.25, 0.25, 1.0, 3.0]
    assert noise and not WidthNoise.between(row, row)


def test_a_token_that_is_likely_in_one_of_the_rows_counts() -> None:
    assert WidthNoise.between(row_of(20.0, 19.0), row_of(-20.0, 19.0)).within(1.0) == 40.0


def test_of_two_the_larger_is_kept_everywhere() -> None:
    one, other = WidthNoise((0.1, 0.1, 0.2, 9.0)), WidthNoise((0.0, 0.3, 0.3, 0.3))
    assert one | other == other | one == WidthNoise((0.1, 0.3, 0.3, 9.0))
    assert one | NO_NOISE == one


def tail_draws(margin: WidthNoise, hot: float = 1.0, **settings: object) -> list[bool]:
    """Draws from a head of three tokens and a tail of two: which were near-ties."""
    given = {**OFF, "temperature": hot, **settings}
    drawn = Sampler(SamplingSettings(**given), margin)  # type: ignore[arg-type]
    row = row_of(3.0, 2.0, 1.0, 3.0 - TAIL, 2.8 - TAIL)
    return [drawn.draw(row, [0, 1, 2] * 10, t).near_tie for t in range(40)]


@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        ({}, False),
        ({"temperature": 3.0}, True),
        ({"logit_bias": {0: -100.0}}, False),
        ({"logit_bias": {0: -100.0, 1: -100.0, 2: -100.0}}, True),
        ({"logit_bias": {3: 69.0}}, True),
        ({"frequency_penalty": 8.0}, True),
        ({"frequency_penalty": 0.1}, False),
    ],
    ids=str,
)
def test_the_noise_of_the_tail_counts_where_the_tail_can_be_drawn(
    settings: dict[str, object], counts: bool
) -> None:
    hot = float(settings.pop("temperature", 1.0))  # type: ignore[arg-type]
    assert any(tail_draws(IN_THE_TAIL, hot, **settings)) == counts


def test_a_repeat_penalty_makes_noise_larger() -> None:
    noise = WidthNoise((0.1,) * len(REACHES))
    for repeat, wanted in ((1.0, 0.1), (1.5, 0.15), (0.5, 0.2)):
        settings = SamplingSettings(repeat_penalty=repeat)
        assert Sampler(settings, noise).tie_margin == pytest.approx(SAFETY * wanted)
    unseen = SamplingSettings(repeat_penalty=4.0, repeat_last_n=0)
    assert Sampler(unseen, noise).tie_margin == pytest.approx(SAFETY * 0.1)


def test_a_ruled_out_token_that_is_brought_back_counts_as_furthest_behind() -> None:
    noise = WidthNoise((0.001, 0.001, 0.001, 0.5))
    banned = SamplingSettings(**OFF, logit_bias={0: -3000.0})  # type: ignore[arg-type]
    drawn = Sampler(banned, noise)
    row = row_of(3.0, -2900.0, -2900.2)
    assert any(drawn.draw(row, [], t).near_tie for t in range(20))
