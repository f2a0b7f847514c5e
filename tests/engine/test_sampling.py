"""The sampler's laws, against a plain reference, and the noise's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.errors import SettingError
from engine.messages import SamplingSettings
from engine.sampling import Sampler, gumbel
from tests.engine.fakes import sampler

FIXED = [-1.1203129559583385, 1.4275958897933774, 0.057229300084291036]
ROW = np.array([0.5, 2.0, 2.0, -1.0, 1.0, 0.0], dtype=np.float32)


def reference(row: np.ndarray, settings: SamplingSettings, history: list[int]) -> np.ndarray:
    """The processed distribution [vocab], written as one reads it."""
    logits = [float(x) for x in row]
    for token in set(history[-settings.repeat_last_n :] if settings.repeat_last_n else []):
        x = logits[token]
        penalty = settings.repeat_penalty
        logits[token] = x / penalty if x > 0 else x * penalty
    kept = sorted(range(len(logits)), key=lambda v: (-logits[v], v))
    kept = kept[: settings.top_k or None]
    weights = {v: math.exp(logits[v]) for v in kept}
    total = sum(weights.values())
    mass, nucleus = 0.0, []
    for v in kept:
        nucleus.append(v)
        mass += weights[v] / total
        if mass >= settings.top_p:
            break
    best = max(weights.values())
    support = [v for v in nucleus if weights[v] >= settings.min_p * best]
    probs = np.zeros(len(logits))
    for v in support:
        probs[v] = math.exp(logits[v] / settings.temperature)
    return probs / probs.sum()


@pytest.mark.parametrize(
    "settings",
    [
        {"top_k": 0, "top_p": 1.0, "min_p": 0.0},
        {"top_k": 5, "top_p": 1.0, "min_p": 0.0, "temperature": 0.5},
        {"top_k": 0, "top_p": 0.8, "min_p": 0.0, "temperature": 1.5},
        {"top_k": 0, "top_p": 1.0, "min_p": 0.2},
        {"top_k": 8, "top_p": 0.9, "min_p": 0.05, "repeat_penalty": 1.5, "repeat_last_n": 4},
    ],
    ids=str,
)
def test_draws_follow_the_processed_distribution(settings: dict[str, float]) -> None:
    rng = np.random.default_rng(1)
    row = rng.normal(scale=2.0, size=12).astype(np.float32)
    full = SamplingSettings(**{"temperature": 0.8, **settings})
    history = [3, 3, 7, 1, 2, 5]
    probs = reference(row, full, history)
    drawn = Sampler(full)
    n = 20_000
    counts = np.bincount([drawn.draw(row, history, t).token for t in range(n)], minlength=12)
    assert not counts[probs == 0].any()
    expected = probs[probs > 0] * n
    chi2 = float((((counts[probs > 0] - expected) ** 2) / expected).sum())
    degrees = len(expected) - 1
    assert chi2 < degrees + 4 * math.sqrt(2 * degrees) + 8


@pytest.mark.parametrize("temperature", [0.0, 0.8, 1.5])
def test_a_picked_token_is_the_drawn_one(temperature: float) -> None:
    rng = np.random.default_rng(2)
    drawn = sampler(temperature, repeat_penalty=1.3)
    for position in range(200):
        row = rng.normal(scale=2.0, size=24).astype(np.float32)
        history = [1, 2, position % 24]
        assert drawn.pick(row, history, position) == drawn.draw(row, history, position).token


def test_temperature_zero_takes_the_best_and_the_lowest_id_among_equals() -> None:
    drawn = sampler(0.0).draw(ROW, [], 0)
    assert (drawn.token, drawn.margin) == (1, 0.0)


def test_the_margin_is_the_distance_to_the_runner_up_in_logits() -> None:
    row = np.array([1.0, 4.0, 2.5], dtype=np.float32)
    assert sampler(0.0).draw(row, [], 0).margin == pytest.approx(1.5)
    narrow = sampler(1e-6, top_k=0, top_p=1.0, min_p=0.0).draw(row, [], 0)
    assert narrow.margin == pytest.approx(1.5, abs=1e-4)


def test_only_one_candidate_has_no_runner_up() -> None:
    assert sampler(0.8, top_k=1).draw(ROW + np.arange(6, dtype=np.float32), [], 0).margin == np.inf


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_row_is_given_back_unchanged(temperature: float) -> None:
    row = ROW.copy()
    sampler(temperature, repeat_penalty=1.4).draw(row, [1, 2], 3)
    assert (row == ROW).all()


def test_penalties_look_back_as_far_as_their_window() -> None:
    row = np.array([0.0, 5.0, 4.9], dtype=np.float32)
    drawn = sampler(0.0, repeat_penalty=1.2, repeat_last_n=2)
    assert drawn.draw(row, [1, 0, 0], 0).token == 1, "token 1 is out of the window"
    assert drawn.draw(row, [0, 1, 0], 0).token == 2


def test_confidence_is_the_softmax_probability() -> None:
    probs = np.exp(ROW) / np.exp(ROW).sum()
    assert sampler().confidence(ROW, 4) == pytest.approx(probs[4], rel=1e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("top_k", -1),
        ("top_p", 0.0),
        ("top_p", 1.01),
        ("min_p", -0.1),
        ("min_p", 1.1),
        ("repeat_penalty", 0.0),
        ("repeat_last_n", -1),
        ("seed", -1),
        ("temperature", float("nan")),
    ],
)
def test_a_setting_out_of_range_is_named_with_what_was_found(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=f"{name} must be .* found"):
        Sampler(SamplingSettings(**{name: value}))


def test_noise_is_the_same_on_every_platform() -> None:
    got = gumbel(7, 42, np.array([0, 1, 4095]))
    assert got == pytest.approx(FIXED, abs=1e-12)


def test_noise_of_an_id_depends_on_no_other_id() -> None:
    every = gumbel(3, 9, np.arange(1000))
    some = np.array([999, 5, 500])
    assert (gumbel(3, 9, some) == every[some]).all()


def test_noise_is_standard_gumbel_and_independent_across_seed_position_and_id() -> None:
    ids = np.arange(400)
    base = np.concatenate([gumbel(1, t, ids) for t in range(100)])
    assert base.mean() == pytest.approx(0.5772, abs=0.03)
    assert base.var() == pytest.approx(math.pi**2 / 6, abs=0.06)
    next_position = np.concatenate([gumbel(1, t + 1, ids) for t in range(100)])
    next_id = np.concatenate([gumbel(1, t, ids + 1) for t in range(100)])
    next_seed = np.concatenate([gumbel(2, t, ids) for t in range(100)])
    for other in (next_position, next_id, next_seed):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.02


@pytest.mark.parametrize("temperature", [1e-3, 1e-38, 1e-300])
def test_the_smallest_temperatures_are_greedy(temperature: float) -> None:
    rng = np.random.default_rng(4)
    for position in range(20):
        row = rng.normal(scale=9.0, size=50).astype(np.float32)
        assert sampler(temperature, top_k=0).draw(row, [], position).token == row.argmax()
