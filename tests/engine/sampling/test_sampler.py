"""The sampler's laws: against a dense reference, against llama.cpp's own samplers, and by draws."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator

import llama_cpp
import numpy as np
import pytest

from engine.errors import SettingError
from engine.sampling.noise import gumbel
from engine.sampling.sampler import Sampler
from engine.settings import SamplingSettings
from tests.engine.fakes import noise_for, sampler
from tests.engine.reference import processed

ROW = np.array([0.5, 2.0, 2.0, -1.0, 1.0, 0.0], dtype=np.float32)
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
CUTS = {
    "nothing": {},
    "top_k": {"top_k": 40},
    "top_k 1": {"top_k": 1},
    "typical_p": {"typical_p": 0.9},
    "typical_p of top_k": {"top_k": 50, "typical_p": 0.6},
    "top_p": {"top_p": 0.9},
    "top_p of top_k": {"top_k": 30, "top_p": 0.8},
    "min_p": {"min_p": 0.02},
    "min_p of top_p": {"top_p": 0.97, "min_p": 0.1},
    "all": {"top_k": 60, "typical_p": 0.95, "top_p": 0.9, "min_p": 0.05},
    "typical_p and top_p": {"typical_p": 0.9, "top_p": 0.8},
}
ADJUSTMENTS = {
    "as it is": {},
    "repeat": {"repeat_penalty": 1.3, "repeat_last_n": 8},
    "presence": {"presence_penalty": 0.7, "repeat_last_n": -1},
    "frequency": {"frequency_penalty": 0.4, "repeat_last_n": 12},
    "encouraged": {"repeat_penalty": 0.8, "frequency_penalty": -0.3},
    "bias": {"logit_bias": {3: 2.5, 17: -20.0}},
    "both": {"logit_bias": {1: 4.0}, "repeat_penalty": 1.2, "presence_penalty": 0.2},
}


def settings(temperature: float = 0.8, **changes: object) -> SamplingSettings:
    given = {**OFF, "temperature": temperature, "seed": 7, **changes}
    return SamplingSettings(**given)  # type: ignore[arg-type]


def rows(n_vocab: int, n: int) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Rows as models have them, a few likely tokens over a long tail, and what came before."""
    rng = np.random.default_rng(n_vocab)
    for _ in range(n):
        ranks = rng.permutation(n_vocab)
        row = -1.8 * np.log(1 + ranks) + rng.normal(scale=0.7, size=n_vocab) + 6
        yield row.astype(np.float32), [int(v) for v in np.argsort(ranks)[rng.integers(0, 9, 20)]]


def dense(drawn: Sampler, row: np.ndarray, history: list[int]) -> np.ndarray:
    found = drawn.distribution(row, history)
    probs = np.zeros(len(row))
    probs[found.ids] = found.probs
    return probs


@pytest.mark.parametrize("adjustment", ADJUSTMENTS)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n_vocab", [24, 5001])
def test_the_processed_distribution_is_what_its_definition_says(
    n_vocab: int, cut: str, adjustment: str
) -> None:
    chosen = settings(**CUTS[cut], **ADJUSTMENTS[adjustment])
    for row, history in rows(n_vocab, 3):
        before = row.copy()
        probs = dense(Sampler(chosen), row, history)
        assert probs == pytest.approx(processed(row, chosen, history), abs=1e-6)
        assert (row == before).all(), "the row is given back unchanged"


def llama_cpps(row: np.ndarray, chosen: SamplingSettings, history: list[int]) -> np.ndarray:
    """What llama.cpp's own samplers, in its default order, make of the row."""
    n = len(row)
    chain = [
        llama_cpp.llama_sampler_init_penalties(
            n,
            len(history) if chosen.repeat_last_n < 0 else chosen.repeat_last_n,
            chosen.repeat_penalty,
            chosen.frequency_penalty,
            chosen.presence_penalty,
        ),
        llama_cpp.llama_sampler_init_top_k(chosen.top_k),
        llama_cpp.llama_sampler_init_typical(chosen.typical_p, 0),
        llama_cpp.llama_sampler_init_top_p(chosen.top_p, 0),
        llama_cpp.llama_sampler_init_min_p(chosen.min_p, 0),
        llama_cpp.llama_sampler_init_temp(chosen.temperature),
        llama_cpp.llama_sampler_init_dist(1),  # fills the probabilities in
    ]
    data = (llama_cpp.llama_token_data * n)()
    for v in range(n):
        data[v].id, data[v].logit = v, float(row[v]) + chosen.logit_bias.get(v, 0.0)
    array = llama_cpp.llama_token_data_array(data, n, -1, False)
    for token in history:
        llama_cpp.llama_sampler_accept(chain[0], token)
    for step in chain:
        llama_cpp.llama_sampler_apply(step, ctypes.byref(array))
        llama_cpp.llama_sampler_free(step)
    probs = np.zeros(n)
    for i in range(array.size):
        probs[array.data[i].id] = array.data[i].p
    return probs


@pytest.mark.parametrize("adjustment", ADJUSTMENTS)
@pytest.mark.parametrize("cut", CUTS)
def test_the_processed_distribution_is_llama_cpps(cut: str, adjustment: str) -> None:
    chosen = settings(**CUTS[cut], **ADJUSTMENTS[adjustment])
    for row, history in rows(3000, 3):
        theirs = llama_cpps(row, chosen, history)
        assert dense(Sampler(chosen), row, history) == pytest.approx(theirs, abs=2e-5)


@pytest.mark.parametrize("temperature", [0.0, 0.3, 0.8, 1.5])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n_vocab", [24, 5001])
def test_the_drawn_token_has_the_largest_noisy_log_probability(
    n_vocab: int, cut: str, temperature: float
) -> None:
    chosen = settings(temperature, **CUTS[cut])
    drawn = Sampler(chosen)
    for position, (row, history) in enumerate(rows(n_vocab, 12)):
        with np.errstate(divide="ignore"):
            scores = np.log(processed(row, chosen, history))
        if temperature:
            scores += gumbel(chosen.seed, position, np.arange(n_vocab))
        assert drawn.draw(row, history, position).token == scores.argmax()
        assert drawn.pick(row, history, position) == scores.argmax()


@pytest.mark.parametrize("n_vocab", [5, 2047, 2048, 2049, 40_000])
def test_the_winner_among_all_is_found_by_looking_into_few_buckets(n_vocab: int) -> None:
    rng = np.random.default_rng(3)
    drawn = sampler(1.0, **OFF)
    for position in range(60):
        row = rng.normal(scale=position % 4, size=n_vocab).astype(np.float32)
        scores = row + gumbel(7, position, np.arange(n_vocab))
        assert drawn.draw(row, [], position).token == scores.argmax()


@pytest.mark.parametrize("cut", CUTS)
def test_draws_follow_the_processed_distribution(cut: str) -> None:
    chosen = settings(**CUTS[cut], repeat_penalty=1.3)
    row, history = next(rows(24, 1))
    probs = processed(row, chosen, history)
    drawn = Sampler(chosen)
    n = 6000
    counts = np.bincount([drawn.pick(row, history, t) for t in range(n)], minlength=24)
    assert counts[probs == 0].sum() == 0
    expected = n * probs[probs > 0]
    chi2 = float((((counts[probs > 0] - expected) ** 2) / expected).sum())
    degrees = len(expected) - 1
    assert chi2 < degrees + 4 * math.sqrt(2 * degrees) + 8


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.3])
@pytest.mark.parametrize("adjustment", ["as it is", "repeat", "both"])
@pytest.mark.parametrize("cut", CUTS)
def test_a_draw_that_is_no_near_tie_survives_every_change_within_the_margin(
    cut: str, adjustment: str, temperature: float
) -> None:
    margin = 0.3
    drawn = Sampler(
        settings(temperature, **CUTS[cut], **ADJUSTMENTS[adjustment]), noise_for(margin)
    )
    rng = np.random.default_rng(11)
    sure = 0
    for position, (row, history) in enumerate(rows(60, 60)):
        draw = drawn.draw(row, history, position)
        if draw.near_tie:
            continue
        sure += 1
        for _ in range(12):
            shift = rng.choice([-1.0, 1.0], size=60) * margin / 2 * 0.8
            other = (row + shift).astype(np.float32)
            assert drawn.draw(other, history, position).token == draw.token
    assert sure > 5, "a margin under which everything is a near-tie proves nothing"


def close_rows(n_close: int, spread: float) -> Iterator[np.ndarray]:
    """A few tokens that are close together, and none of the others near."""
    rng = np.random.default_rng(3)
    for _ in range(400):
        row = np.full(1000, -30.0)
        row[:n_close] = rng.uniform(0.0, spread, size=n_close)
        yield row.astype(np.float32)


@pytest.mark.parametrize(
    ("margin", "n_close", "spread", "cuts"),
    [
        (0.2, 4, 0.4, {"top_k": 3, "top_p": 0.6}),
        (0.2, 4, 0.4, {"top_p": 0.6}),
        (0.02, 134, 0.008, {"top_p": 0.95}),
        (0.2, 4, 1.0, {"typical_p": 0.8}),
    ],
    ids=["top_p of top_k", "top_p", "flat top_p", "typical_p"],
)
def test_a_token_that_all_others_might_overtake_is_a_near_tie(
    margin: float, n_close: int, spread: float, cuts: dict[str, float]
) -> None:
    """The worst change for a drawn token: it goes down, and all that compete with it go up."""
    drawn = Sampler(settings(0.8, **{**OFF, **cuts}), noise_for(margin))
    for position, row in enumerate(close_rows(n_close, spread)):
        draw = drawn.draw(row, [], position)
        if not draw.near_tie:
            shift = np.full(len(row), 0.98 * margin / 2, dtype=np.float32)
            shift[draw.token] *= -1.0
            assert drawn.draw(row + shift, [], position).token == draw.token


@pytest.mark.parametrize("margin", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("top_k", [0, 2, 3, 40])
@pytest.mark.parametrize("typical_p", [0.2, 0.5, 0.9])
def test_a_margin_leaves_every_draw_possible(typical_p: float, top_k: int, margin: float) -> None:
    chosen = settings(typical_p=typical_p, top_k=top_k, top_p=0.95, min_p=0.05)
    exact, drawn = Sampler(chosen), Sampler(chosen, noise_for(margin))
    rng = np.random.default_rng(5)
    for position in range(80):
        row = rng.normal(scale=2.0, size=50).astype(np.float32)
        row[:4] = 6.0 + np.arange(4) * margin / 10
        wanted = exact.draw(row, [], position).token
        assert drawn.draw(row, [], position).token == wanted
        drawn.at_rim(row, [], wanted)


def test_a_token_that_the_model_rules_out_is_never_drawn() -> None:
    row = np.array([1.0, -np.inf, 0.5, 0.2], dtype=np.float32)
    for cut in CUTS.values():
        assert {Sampler(settings(**cut)).draw(row, [], t).token for t in range(50)} <= {0, 2, 3}
    banned = Sampler(settings(typical_p=0.9, logit_bias={0: -1e30}, repeat_penalty=1000.0))
    assert {banned.draw(row, [0, 0], t).token for t in range(50)} <= {2, 3}


def test_without_a_margin_nothing_is_a_near_tie() -> None:
    assert not any(
        sampler(0.8).draw(row, history, t).near_tie for t, (row, history) in enumerate(rows(50, 50))
    )


def test_temperature_zero_takes_the_best_and_the_lowest_id_among_equals() -> None:
    assert sampler(0.0).draw(ROW, [], 0).token == 1
    assert Sampler(settings(0.0), noise_for(0.01)).draw(ROW, [], 0).near_tie
    equal = np.array([20.0, 20.0, 0.0], dtype=np.float32)
    assert Sampler(settings(0.0), noise_for(1e-7)).draw(equal, [], 0).near_tie, (
        "float32 rounds it away"
    )


def test_a_top_p_that_rounds_to_nothing_leaves_the_likeliest() -> None:
    row = np.array([1.0, 0.9, 0.5], dtype=np.float32)
    assert Sampler(settings(top_p=1e-309), noise_for(0.1)).draw(row, [], 0).token == 0


def test_a_rim_is_a_near_tie_too() -> None:
    row = np.array([3.0, 2.0, 1.9999, -9.0], dtype=np.float32)
    outside_wins = [
        t
        for t in range(200)
        if gumbel(7, t, np.array([2]))[0] > 4 + max(gumbel(7, t, np.array([0, 1])))
    ]
    drawn = Sampler(settings(1.0, top_k=2), noise_for(0.001))
    assert outside_wins and all(drawn.draw(row, [], t).near_tie for t in outside_wins)


@pytest.mark.parametrize("cut", [{"top_k": 1}, {"top_p": 1e-9}, {"min_p": 1.0}], ids=str)
def test_the_only_token_left_is_a_near_tie_if_another_may_be_it(cut: dict[str, float]) -> None:
    close = np.array([3.0, 2.9999, -9.0], dtype=np.float32)
    clear = np.array([3.0, 2.9, -9.0], dtype=np.float32)
    drawn = Sampler(settings(1.0, **cut), noise_for(0.001))
    for row, expected in ((close, True), (clear, False)):
        draws = [drawn.draw(row, [], t) for t in range(40)]
        assert all(draw.token == 0 and draw.near_tie is expected for draw in draws)


@pytest.mark.parametrize("noise", [1e3, 1e300, 1e308])
def test_noise_beyond_all_measure_only_makes_near_ties(noise: float) -> None:
    """As a damaged file of kept measurements may have it."""
    row = np.random.default_rng(0).normal(size=50).astype(np.float32)
    drawn = Sampler(settings(0.8, top_p=0.9), noise_for(noise))
    assert drawn.at_rim(row, [], int(row.argmax()))
    assert drawn.draw(row, [], 3).near_tie


def test_penalties_look_back_as_far_as_their_window() -> None:
    row = np.array([0.0, 5.0, 4.9], dtype=np.float32)
    drawn = sampler(0.0, repeat_penalty=1.2, repeat_last_n=2)
    assert drawn.draw(row, [1, 0, 0], 0).token == 1, "token 1 is out of the window"
    assert drawn.draw(row, [0, 1, 0], 0).token == 2
    assert drawn.window([4, 5, 6, 7]) == [6, 7]
    assert sampler(0.0, repeat_penalty=1.2, repeat_last_n=-1).window([4, 5, 6]) == [4, 5, 6]
    assert sampler(0.0).window([4, 5, 6]) == [], "nothing looks back, nothing is copied"


@pytest.mark.parametrize("logit", [2.0, -2.0])
def test_a_repeated_token_becomes_unlikelier_whatever_its_sign(logit: float) -> None:
    row = np.array([logit, logit - 0.1], dtype=np.float32)
    assert sampler(0.0, repeat_penalty=1.2).draw(row, [0], 0).token == 1


def test_a_draft_of_a_smaller_vocabulary_takes_the_same_settings() -> None:
    drawn = sampler(0.8, repeat_penalty=1.5, logit_bias={5: 3.0, 900: 9.0})
    assert drawn.pick(ROW, [1, 2, 1000], 3) < len(ROW)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("top_k", -1),
        ("typical_p", 0.0),
        ("typical_p", 1.1),
        ("top_p", 0.0),
        ("top_p", 1.01),
        ("min_p", -0.1),
        ("min_p", 1.1),
        ("repeat_penalty", 0.0),
        ("repeat_penalty", 1e-40),
        ("repeat_penalty", float("inf")),
        ("presence_penalty", 1001.0),
        ("frequency_penalty", -1e9),
        ("presence_penalty", float("nan")),
        ("frequency_penalty", float("inf")),
        ("repeat_last_n", -2),
        ("seed", -1),
        ("seed", 2**64),
    ],
)
def test_a_setting_out_of_range_is_named_with_what_was_found(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=f"{name} must be .* found"):
        Sampler(SamplingSettings(**{name: value}))


@pytest.mark.parametrize("bias", [{-1: 1.0}, {3: float("nan")}, {3: 1e39}], ids=str)
def test_a_bias_must_be_finite_and_for_a_token(bias: dict[int, float]) -> None:
    with pytest.raises(SettingError, match="logit_bias"):
        Sampler(SamplingSettings(logit_bias=bias))


@pytest.mark.parametrize("temperature", [1e-3, 1e-38, 1e-300])
def test_the_smallest_temperatures_are_greedy(temperature: float) -> None:
    rng = np.random.default_rng(4)
    for position in range(20):
        row = rng.normal(scale=9.0, size=50).astype(np.float32)
        for cuts in (OFF, {}):
            assert sampler(temperature, **cuts).draw(row, [], position).token == row.argmax()
