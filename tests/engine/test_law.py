"""The exact law: what the real loop emits follows the processed distribution of the target.

In every cell, tokens are compared with what the reference says they should be drawn from, by a
chi-square test; alpha is shared by the cells of a family (Bonferroni). All seeds are fixed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from engine import verifiers
from engine.arrays import Row
from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.sampling import gumbel_max, sampler
from engine.sampling.truncation import Support
from engine.settings import SamplingSettings
from engine.types import Drafter
from tests.engine.laws import (
    ALPHA,
    RUN,
    Cell,
    Counts,
    Law,
    Toy,
    certain,
    chi_square_survival,
    counted,
    model_cell,
    pair,
    prompts,
)

OFF: dict[str, object] = {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_last_n": 0}
CUTS: list[dict[str, object]] = [
    {},
    {"top_k": 5},
    {"typical_p": 0.8},
    {"top_p": 0.85},
    {"min_p": 0.08},
    {"top_k": 10, "top_p": 0.9},
    {"typical_p": 0.95, "min_p": 0.05},
    {"top_k": 12, "typical_p": 0.95, "top_p": 0.95, "min_p": 0.02},
]
PENALTIES: list[dict[str, object]] = [
    {},
    {"repeat_penalty": 1.4, "repeat_last_n": 2},
    {"presence_penalty": 0.6, "frequency_penalty": 0.5, "repeat_last_n": 3},
    {"logit_bias": {3: 1.5, 7: -2.0, 11: 1.0}},
]
TEMPERATURES = (0.4, 0.7, 1.0, 1.5)
LENGTHS = range(1, 9)


def settings(temperature: float, *changes: dict[str, object]) -> SamplingSettings:
    given = {**OFF, "temperature": temperature}
    for change in changes:
        given.update(change)
    return SamplingSettings(**given)  # type: ignore[arg-type]


def grid() -> list[tuple[SamplingSettings, int]]:
    """Every cut with every penalty twice; temperatures and draft lengths go round. Then greedy."""
    found = []
    for number, (cut, penalty, turn) in enumerate(itertools.product(CUTS, PENALTIES, range(2))):
        temperature = TEMPERATURES[(number + number // 8) % 4]
        length = LENGTHS[(3 * number + number // 8 + turn) % 8]
        found.append((settings(temperature, cut, penalty), length))
    for length, penalty in zip((2, 4, 6, 8), PENALTIES, strict=True):
        found.append((settings(0.0, penalty), length))
    return found


@pytest.fixture(autouse=True)
def the_same_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember supports and noise bounds, which are functions of their arguments alone.

    Toys have few rows, and draft and target have the same noise: this halves the time. All settings
    of a test are the same but for the seed, which no support depends on.
    """
    support, supports = sampler.support, dict[tuple[bytes, float], Support]()

    def remembered(row: Row, settings: SamplingSettings, loosened: float = 0.0) -> Support:
        key = (row.tobytes(), loosened)
        if key not in supports:
            supports[key] = support(row, settings, loosened)
        return supports[key]

    monkeypatch.setattr(sampler, "support", remembered)
    monkeypatch.setattr(gumbel_max, "bucket_bounds", lru_cache(64)(gumbel_max.bucket_bounds))


GRID = grid()
FEW_AND_MANY = [1400, pytest.param(200_000, marks=pytest.mark.nightly)]


@pytest.mark.parametrize("n", FEW_AND_MANY)
@pytest.mark.parametrize("number", range(len(GRID)))
@pytest.mark.parametrize("verify", verifiers.names())
def test_every_token_is_drawn_from_the_law(verify: str, number: int, n: int) -> None:
    drawn, length = GRID[number]
    cell = model_cell(drawn, length, closeness=0.5 + 0.05 * length, key=number)
    counts, rows = counted(cell, verify, n, key=number)
    assert rows.sum() == n
    assert rows.all() or drawn.temperature == 0.0, "all rows of a step must be part of this"
    assert counts.p_value() >= ALPHA / len(GRID), drawn


@pytest.mark.parametrize("n", FEW_AND_MANY)
@pytest.mark.parametrize("number", range(0, len(GRID), 6))
def test_a_draft_without_probabilities_is_rejected_as_often_as_it_must_be(
    number: int, n: int
) -> None:
    drawn, length = GRID[number]
    target, draft = pair(0.5 + 0.05 * length, key=number)
    cell = Cell(drawn, length, target, certain(draft))
    counts, rows = counted(cell, "rejection", n, key=number)
    assert rows.sum() == n
    assert counts.p_value() >= ALPHA / len(range(0, len(GRID), 6)), drawn


FEW_TOKENS = settings(
    0.9, {"min_p": 0.001, "repeat_penalty": 1.3, "presence_penalty": 0.2, "repeat_last_n": 2}
)
REPEATING = [0, 1, 2, 3, 0, 1]


def drafting(kind: str) -> tuple[Toy, Drafter]:
    target, draft = pair({"good": 0.9, "bad": 0.0}.get(kind, 0.6), vocab=4, key=3)
    if kind == "lookup":
        return target, Lookup()
    return target, certain(draft) if kind == "certain" else DraftModel(TokenCache(draft), 4)


def law_of_three(law: Law, prompt: list[int]) -> np.ndarray:
    """The chance of each of the 64 sequences behind the prompt: [64]."""
    chances = np.zeros((4, 4, 4))
    for a, b, c in np.ndindex(4, 4, 4):
        chance_a, chance_b, chance_c = (
            law.after([*prompt, a, b, c][: len(prompt) + i])[1] for i in range(3)
        )
        chances[a, b, c] = chance_a[a] * chance_b[b] * chance_c[c]
    return chances.ravel()


@pytest.mark.parametrize("n", [640, pytest.param(10_000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["good", "bad", "certain", "lookup"])
@pytest.mark.parametrize("verify", verifiers.names())
def test_all_sequences_of_three_of_four_tokens_are_as_likely_as_they_should_be(
    verify: str, kind: str, length: int, n: int
) -> None:
    target, drafter = drafting(kind)
    cell = Cell(FEW_TOKENS, length, target, drafter)
    chances = law_of_three(cell.law(), REPEATING)
    assert chances.sum() == pytest.approx(1.0) and (chances > 0).all()
    counts = Counts()
    for run in cell.runs(verify, [REPEATING] * n, 3):
        a, b, c = run.tokens[-3:]
        counts.add("sequences", (), chances, 16 * a + 4 * b + c)
    assert counts.p_value() >= ALPHA / 32


def law_of_a_step(target: Law, draft: Law, context: list[int]) -> np.ndarray:
    """The chance of (draft token, rejected or accepted, the token behind): [4 * 2 * 4]."""
    wanted, drafted = target.after(context)[1], draft.after(context)[1]
    residual = np.maximum(wanted - drafted, 0.0)
    residual /= residual.sum()
    chances = np.zeros((4, 2, 4))
    for x in np.flatnonzero(drafted):
        accepted = min(1.0, wanted[x] / drafted[x])
        chances[x, 0] = drafted[x] * (1.0 - accepted) * residual
        chances[x, 1] = drafted[x] * accepted * target.after([*context, int(x)])[1]
    return chances.ravel()


@pytest.mark.parametrize("top_k", [3, 0])
def test_drafting_accepting_and_own_draws_of_a_rejection_step_are_independent(top_k: int) -> None:
    chosen = settings(0.9, {"top_k": top_k})
    target, draft = pair(0.5, vocab=4, key=5)
    cell = Cell(chosen, 1, target, DraftModel(TokenCache(draft), 4))
    laws, counts = (cell.law(), Law(draft, chosen)), Counts()
    for run in cell.runs("rejection", prompts(4, 30, key=1), RUN):
        at = run.n_prompt
        for step in run.steps[:-1]:
            context = run.tokens[at - 2 : at]
            outcome = 8 * step.draft.tokens[0] + 4 * step.accepted + step.tokens[-1]
            place = target.state(*context)
            counts.add("steps", place, law_of_a_step(*laws, context), outcome)
            at += len(step.tokens)
    assert counts.p_value() >= ALPHA


def coupled_chance(p: np.ndarray, q: np.ndarray) -> float:
    """How often the same Gumbel noise draws the same token from p and from q."""
    both = np.flatnonzero((p > 0) & (q > 0))
    return float(sum(1.0 / np.maximum(p / p[i], q / q[i]).sum() for i in both))


def rejection_chance(p: np.ndarray, q: np.ndarray) -> float:
    return float(np.minimum(p, q).sum())


@pytest.mark.parametrize("cut", [*CUTS[:5], CUTS[7]], ids=str)
@pytest.mark.parametrize("closeness", [0.3, 0.8])
@pytest.mark.parametrize(
    ("verify", "chance_of"), [("coupled", coupled_chance), ("rejection", rejection_chance)]
)
def test_drafts_are_accepted_as_often_as_their_closed_form_says(
    verify: str, chance_of: Callable[..., float], closeness: float, cut: dict[str, object]
) -> None:
    chosen = settings(0.9, cut, PENALTIES[1])
    target, draft = pair(closeness, key=9)
    cell = Cell(chosen, 3, target, DraftModel(TokenCache(draft), draft.n_vocab))
    ours, theirs, counts = cell.law(), Law(draft, chosen), Counts()
    for run in cell.runs(verify, prompts(draft.n_vocab, 8, key=2), RUN):
        at = run.n_prompt
        for step in run.steps:
            for row in range(step.tested):
                place, p = ours.after(run.tokens[: at + row])
                q = theirs.after(run.tokens[: at + row])[1]
                chance = chance_of(p, q)
                apart = 1.0 - rejection_chance(p, q)
                assert chance >= (1.0 - apart) / (1.0 + apart) - 1e-9
                law = np.array([1.0 - chance, chance])
                counts.add("drafts", place, law, int(row < step.accepted))
            at += len(step.tokens)
    assert counts.p_value() >= ALPHA / 12


@pytest.mark.parametrize(
    ("chi2", "degrees", "chance"),
    [(10.8276, 1, 1e-3), (13.8155, 2, 1e-3), (16.2662, 3, 1e-3), (149.4493, 100, 1e-3)]
    + [(-2 * math.log(p), 2, p) for p in (1e-3, 1e-6, 1e-12)],
)
def test_the_chi_square_tail_is_that_of_the_tables(
    chi2: float, degrees: int, chance: float
) -> None:
    assert chi_square_survival(chi2, degrees) == pytest.approx(chance, rel=1e-4)


def test_counts_far_from_their_law_are_told_from_counts_near_it() -> None:
    law, rng = np.full(16, 1 / 16), np.random.default_rng(1)
    near, far = [Counts() for _ in range(200)], Counts()
    for place, token in zip(itertools.cycle(range(100)), rng.integers(16, size=2000), strict=False):
        far.add("far", place, law, int(token) // 2 * 2 if token < 6 else int(token))
    for counts in near:
        for place, token in enumerate(rng.integers(16, size=500)):
            counts.add("near", place % (3 + place % 60), law, int(token))
    assert far.p_value() < 1e-9
    p_values = np.sort([counts.p_value() for counts in near])
    assert np.abs(p_values - np.arange(1, 201) / 201).max() < 1.63 / math.sqrt(200)


def test_a_token_that_cannot_be_is_one_too_many() -> None:
    counts = Counts()
    counts.add("all", 0, np.array([1.0, 0.0]), 1)
    assert counts.p_value() == 0.0
