"""Short cuts of drawing change no draw: rows looked at together, and rows that leave no choice."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import DecodeError
from engine.sampling.sampler import Sampler
from engine.sampling.top_two import TopTwo
from engine.settings import SamplingSettings
from tests.engine.fakes import noise_for
from tests.engine.reference import processed

N_VOCAB = 37
OFF: dict[str, float] = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
CUTS: dict[str, dict[str, float]] = {
    "nothing": {},
    "top_k": {"top_k": 5},
    "top_k 1": {"top_k": 1},
    "typical_p": {"typical_p": 0.6},
    "top_p": {"top_p": 0.8},
    "min_p": {"min_p": 0.1},
    "min_p 1": {"min_p": 1.0},
    "all but typical": {"top_k": 9, "top_p": 0.95, "min_p": 0.05},
    "all": {"top_k": 9, "typical_p": 0.9, "top_p": 0.95, "min_p": 0.05},
}


def drawing(temperature: float, cut: str, margin: float = 0.0) -> Sampler:
    given = {**OFF, "temperature": temperature, "seed": 11, **CUTS[cut]}
    return Sampler(SamplingSettings(**given), noise_for(margin))  # type: ignore[arg-type]


def row_of(kind: str, rng: np.random.Generator, n: int = N_VOCAB) -> np.ndarray:
    row = rng.normal(scale=2.0, size=n)
    if kind == "peaked":
        row[rng.integers(n)] += 25.0
    elif kind == "ties":
        row = np.round(row / 2)
    elif kind == "equal":
        row[:] = 1.5
    elif kind == "ruled out":
        row[rng.permutation(n)[: n - 1]] = -np.inf
    elif kind == "masked":
        row[rng.permutation(n)[: n // 2]] = -np.inf
    elif kind == "at the bar":
        row[:] = -9.0
        row[3], row[5] = 2.0, 2.0 + np.log(0.1)
    return row.astype(np.float32)


KINDS = ("usual", "peaked", "ties", "equal", "ruled out", "masked", "at the bar")


def some_rows(n: int, n_vocab: int = N_VOCAB) -> np.ndarray:
    rng = np.random.default_rng(n)
    return np.array([row_of(KINDS[i % len(KINDS)], rng, n_vocab) for i in range(n)])


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("temperature", [0.0, 0.3, 0.8, 1.2])
@pytest.mark.parametrize("margin", [0.0, 0.4])
def test_rows_drawn_together_are_drawn_as_one_by_one(
    margin: float, temperature: float, cut: str
) -> None:
    drawn = drawing(temperature, cut, margin)
    if not drawn.draws_together:
        assert drawn.settings.typical_p < 1.0, "nothing here looks back"
        return
    rows = some_rows(70)
    before = rows.copy()
    for start in range(0, 70, 7):
        block = rows[start : start + 7]
        said = [drawn.draw(row, [], 100 + start + i) for i, row in enumerate(block)]
        tokens = [draw.token for draw in said]
        near_ties = [i for i, draw in enumerate(said) if draw.near_tie]
        assert drawn.draw_all(block, 100 + start, tokens[:-1]) == (tokens, near_ties)
    assert np.array_equal(rows, before), "rows are given back as they were"


@pytest.mark.parametrize("cut", ["nothing", "min_p", "all but typical"])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("wrong", range(6))
def test_drawing_together_ends_with_the_first_token_that_is_not_wanted(
    temperature: float, cut: str, wrong: int
) -> None:
    drawn, rows = drawing(temperature, cut, margin=0.4), some_rows(6)
    said = [drawn.draw(row, [], 9 + i) for i, row in enumerate(rows)]
    wanted = [draw.token for draw in said[:-1]]
    if wrong < len(wanted):
        wanted[wrong] = (wanted[wrong] + 1) % N_VOCAB
    tokens, near_ties = drawn.draw_all(rows, 9, wanted)
    assert tokens == [draw.token for draw in said[: wrong + 1]]
    assert near_ties == [i for i, draw in enumerate(said[: wrong + 1]) if draw.near_tie]


@pytest.mark.parametrize(
    ("settings", "together"),
    [
        ({}, True),
        ({"repeat_penalty": 1.1}, False),
        ({"repeat_penalty": 1.1, "repeat_last_n": 0}, True),
        ({"frequency_penalty": 0.1}, False),
        ({"logit_bias": {3: 1.0}}, False),
    ],
    ids=str,
)
def test_rows_are_drawn_together_where_no_draw_depends_on_another(
    settings: dict[str, object], together: bool
) -> None:
    given = SamplingSettings(temperature=0.8, **settings)  # type: ignore[arg-type]
    assert Sampler(given).draws_together == together


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("temperature", [0.0, 0.8, 1.2])
def test_a_distribution_is_the_same_whether_the_peak_is_known(temperature: float, cut: str) -> None:
    drawn = drawing(temperature, cut)
    for row in some_rows(28):
        known, unknown = (drawn.support_of(row, [], p) for p in (TopTwo.of(row), None))
        assert known.ids.tolist() == unknown.ids.tolist()
        assert drawn.over(known).probs.tolist() == drawn.over(unknown).probs.tolist()


@pytest.mark.parametrize("cut", ["min_p", "min_p 1", "all but typical"])
@pytest.mark.parametrize("kind", ["usual", "peaked", "ties", "at the bar"])
def test_a_row_that_leaves_no_choice_is_known_by_its_peak_and_no_other_is(
    kind: str, cut: str
) -> None:
    drawn, rng = drawing(0.8, cut), np.random.default_rng(5)
    for _ in range(20):
        row = row_of(kind, rng)
        probs = processed(row, drawn.settings, [])
        found = np.zeros(N_VOCAB)
        distribution = drawn.distribution(row, [])
        found[distribution.ids] = distribution.probs
        assert found == pytest.approx(probs, abs=1e-5)


def by_definition(row: np.ndarray) -> tuple[int, float, float]:
    order = sorted(range(len(row)), key=lambda v: (-row[v], v))
    second = float(row[order[1]]) if len(row) > 1 else -np.inf
    return order[0], float(row[order[0]]), second


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_vocab", [2, 37, 5001])
def test_a_peak_is_the_largest_logit_and_the_next(n_vocab: int, kind: str) -> None:
    rng = np.random.default_rng(n_vocab)
    rows = np.array([row_of(kind, rng, max(n_vocab, 6))[-n_vocab:] for _ in range(5)])
    rows = rows[np.isfinite(rows).any(axis=1)]
    before = rows.copy()
    wanted = [by_definition(row) for row in rows]
    peaks = [TopTwo.of(row) for row in rows]
    assert [(top.best, top.top, top.second) for top in peaks] == wanted
    assert np.array_equal(rows, before), "rows are given back as they were"


def test_among_equals_the_lowest_id_is_the_peak() -> None:
    row = np.array([0.0, 2.0, 2.0], dtype=np.float32)
    assert TopTwo.of(row) == TopTwo(1, 2.0, 2.0)


def test_a_vocabulary_of_one_token_has_no_next() -> None:
    row = np.array([0.5], dtype=np.float32)
    top = TopTwo.of(row)
    assert top == TopTwo(0, 0.5, -np.inf)
    assert top.is_alone(0.001) and top.confidence == pytest.approx(1.0)
    for cut in CUTS:
        assert drawing(0.8, cut).draw_all(row[None], 3, []) == ([0], [])


def test_where_all_others_are_ruled_out_confidence_is_certainty() -> None:
    row = np.array([-np.inf, 3.0, -np.inf], dtype=np.float32)
    top = TopTwo.of(row)
    assert top == TopTwo(1, 3.0, -np.inf)
    assert top.confidence == pytest.approx(1.0)
    assert top.confidence_of(float(row[0])) == pytest.approx(0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_confidence_is_a_chance_and_no_less_than_the_softmax_probability(kind: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        row = row_of(kind, rng)
        top = TopTwo.of(row)
        probs = np.exp(row.astype(float) - row.max())
        probs /= probs.sum()
        ranked = [top.confidence_of(float(logit)) for logit in row]
        assert top.confidence_of(top.top) == top.confidence
        assert all(0.0 <= c <= 1.0 for c in ranked)
        assert all(c >= p - 1e-9 for c, p in zip(ranked, probs, strict=True))
        assert (
            np.argsort(ranked, kind="stable").tolist()
            == np.argsort(np.maximum(row, top.top - 60), kind="stable").tolist()
        )


@pytest.mark.parametrize("lead", [0.05, 0.2])
def test_a_lead_within_rounding_of_the_bar_is_left_to_the_cut_itself(lead: float) -> None:
    bar = float(np.log(0.1))
    row = np.array([0.0, bar - 1e-4, -30.0], dtype=np.float32)
    assert not TopTwo.of(row).is_alone(0.1)
    clear = np.array([0.0, bar - lead, -30.0], dtype=np.float32)
    assert TopTwo.of(clear).is_alone(0.1)
    assert not TopTwo.of(clear).is_alone(0.0), "without a bar nothing is left out"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_draft_row_without_finite_numbers_is_refused(wrong: float) -> None:
    row = np.full(N_VOCAB, wrong, dtype=np.float32)
    with pytest.raises(DecodeError, match="no numbers"):
        TopTwo.of_guess(row)
