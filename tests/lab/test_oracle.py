"""Laws of the policy simulator in tests/lab, on traces made by hand."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest

from engine.costs.curves import Measurement
from engine.policy.fixed_length import FixedLength
from tests.lab import oracle
from tests.lab import traces as lab
from tests.lab.oracle import BOTH, MODEL, Contestant, best_s, lookup_hits
from tests.lab.replaying import Machine, replay
from tests.lab.scenarios import scenarios, switch_cost
from tests.lab.traces import DEPTH, NEVER, Continuation, Trace

ROWS = range(1, DEPTH + 2)
JAGGED = (1.0, 1.8, 1.7, 1.9, 2.2, 2.3, 2.1, 2.6)
COSTS = {
    "steady": Measurement(
        {n: 0.04 * (1.3 + 0.1 * n if n > 1 else 1.0) for n in ROWS},
        {n: 0.002 + 0.0002 * n for n in ROWS},
    ),
    "jagged": Measurement({n: JAGGED[(n - 1) % 8] + (n - 1) // 8 for n in ROWS}, {1: 0.2, 33: 1.4}),
    "flat": Measurement({n: 1.0 + 1e-6 * n for n in ROWS}, {n: 1e-6 for n in ROWS}),
}
GPU = Measurement(
    {1: 1.19, 2: 2.41, 4: 2.39, 8: 2.68, 9: 3.65, 16: 3.81, 32: 4.33},
    {1: 0.155, 8: 0.47, 32: 0.65},
    settles=2,
    returning_s=1.6,
)
"""Milliseconds of a 1.1B model at Q4_K_M and the embedded draft on an H200: once it is replayed, a
plain step takes half of what a batch of two does.
"""
DEAR = Measurement(COSTS["steady"].target_s, {1: 0.004, 32: 0.004 + 31 * 0.0012})
"""A draft model that costs a tenth of the target, and 3 % of a plain step for each token read."""


def made(n: int, chance: float, seed: int = 0, repeats: bool = False) -> Trace:
    """An answer of n tokens whose draft model is right by this chance, and knows it."""
    rng = random.Random(seed)
    tokens = tuple(rng.randrange(6) if repeats else 100 + i for i in range(n))
    right = [rng.random() < chance for _ in range(n)]
    model = []
    for t in range(n):
        ends = [tokens[i] if right[i] else NEVER for i in range(t, n)]
        sure = [0.95 if right[i] else 0.4 for i in range(t, n)]
        rest = DEPTH - min(DEPTH, n - t)
        model.append(
            Continuation(
                (*ends[:DEPTH], *(NEVER,) * rest), (*sure[:DEPTH], *(rng.random(),) * rest)
            )
        )
    return Trace("made", 0.0, (1, 2, 3, 4), tokens, tuple(model))


def seconds(trace: Trace, machine: Machine, answers: int = 1) -> float:
    """The time of the policy's last answer of several."""
    policy = Contestant(machine, BOTH)
    return [policy.seconds(trace) for _ in range(answers)][-1]


def tried_out_s(trace: Trace, machine: Machine, t: int = 1, lag: int = 2) -> float:
    """The least time behind token t, by trying all drafts of right tokens out."""
    if t == len(trace.tokens):
        return 0.0
    hits = lookup_hits(trace)

    def drafting(j: int, lag: int, spent: float) -> float:
        verified = machine.target_s[j + 1] + tried_out_s(trace, machine, t + j + 1, lag + 1)
        ways = [spent + verified]
        if t + j + 1 < len(trace.tokens):
            if hits[t][j]:
                ways.append(drafting(j + 1, lag + 1, spent))
            if trace.model[t + j].tokens[0] == trace.tokens[t + j]:
                ways.append(drafting(j + 1, 1, spent + machine.draft_s[lag]))
        return min(ways)

    return drafting(0, lag, 0.0)


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("chance", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("costs", COSTS)
def test_the_oracle_is_never_slower_than_the_policy_nor_than_plain_decoding(
    costs: str, chance: float, repeats: bool
) -> None:
    machine = Machine(COSTS[costs])
    for seed in range(3):
        trace = made(60, chance, seed, repeats)
        best = best_s(trace, machine)
        assert best <= seconds(trace, machine, 2) + 1e-9
        assert best <= Contestant(machine, BOTH, FixedLength(5)).seconds(trace) + 1e-9
        assert best <= 59 * machine.target_s[1] + 1e-9


@pytest.mark.parametrize("costs", ["steady", "flat"])
@pytest.mark.parametrize("seed", range(6))
def test_the_oracle_finds_what_trying_everything_out_finds(costs: str, seed: int) -> None:
    machine = Machine(COSTS[costs])
    trace = made(8, 0.6, seed, repeats=True)
    assert best_s(trace, machine) == pytest.approx(tried_out_s(trace, machine))


def test_the_oracle_decodes_plainly_where_nothing_is_ever_right() -> None:
    machine = Machine(COSTS["steady"])
    trace = lab.useless(made(50, 1.0))
    assert best_s(trace, machine) == pytest.approx(49 * machine.target_s[1])


def test_hindsight_sees_all_that_a_lookup_has_of_a_copied_text() -> None:
    text = tuple(range(100, 150))
    nothing = Continuation((NEVER,) * DEPTH, (0.0,) * DEPTH)
    trace = Trace("copy", 0.0, (1, 2, *text, 3), text, (nothing,) * len(text))
    hits = lookup_hits(trace)
    assert all(hits[2][: DEPTH - 1]), "behind two tokens of it, as far as a draft may be"


def test_a_perfect_draft_at_flat_costs_is_as_long_as_can_be() -> None:
    machine = Machine(COSTS["flat"])
    trace = lab.perfect(made(1 + (DEPTH + 1) * 4, 1.0))
    assert best_s(trace, machine) == pytest.approx(4.0, rel=1e-3)
    policy = oracle.Measured(oracle.Experience(), oracle.CostCurves(machine.measured))
    steps = replay(trace, machine, policy)
    assert [step.accepted for step in steps] == [DEPTH] * 4


def test_the_time_of_a_replay_is_that_of_its_forwards() -> None:
    machine = Machine(COSTS["steady"])
    trace = lab.perfect(made(25, 1.0))
    steps = replay(trace, machine, FixedLength(3), MODEL)
    one, two = machine.draft_s[1], machine.draft_s[2]  # two tokens are pending in every step
    assert [step.accepted for step in steps] == [3] * 6
    assert sum(step.step_s for step in steps) == pytest.approx(
        6 * (machine.target_s[4] + two + 2 * one)
    )


def test_a_replay_says_what_was_said_whoever_drafts() -> None:
    machine = Machine(COSTS["jagged"], noise=0.2)
    trace = made(80, 0.7, repeats=True)
    for fixed in (None, FixedLength(4), oracle.SureLength(16)):
        policy = fixed or oracle.Measured(oracle.Experience(), oracle.CostCurves(machine.measured))
        said = [token for step in replay(trace, machine, policy) for token in step.tokens]
        assert tuple(said) == trace.tokens[1:]


def test_a_replay_does_not_know_where_the_answer_ends() -> None:
    machine = Machine(COSTS["flat"])
    trace = lab.perfect(made(20, 1.0))
    steps = replay(trace, machine, FixedLength(8), MODEL)
    said = [token for step in steps for token in step.tokens]
    assert tuple(said) == trace.tokens[1:]
    assert [len(step.draft.tokens) for step in steps] == [8, 8, 1], "the draft itself foresees it"
    blind = replace(trace, tokens=(*trace.tokens[:-1], 999))
    last = replay(blind, machine, FixedLength(8), MODEL)[-1]
    assert last.tokens == (999,) and len(last.draft.tokens) == 8, "it runs past the end"
    known = replay(replace(trace, predict=20), machine, FixedLength(8), MODEL)
    assert [len(step.draft.tokens) for step in known] == [8, 8, 0], "but not past what is allowed"


def test_joined_answers_may_be_as_long_as_all_of_them() -> None:
    parts = [replace(made(20, 0.9), predict=30), replace(made(30, 0.5), predict=40)]
    assert lab.joined(parts).predict == 70


@pytest.mark.parametrize("confidence", [None, 0.9])
def test_a_useless_draft_costs_next_to_nothing(confidence: float | None) -> None:
    machine = Machine(COSTS["steady"])
    policy = Contestant(machine, MODEL)
    trace = lab.useless(made(400, 0.9), confidence)
    spent = sum(policy.seconds(trace) for _ in range(4))
    assert 4 * 399 * machine.target_s[1] / spent >= 0.98


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("repeats", [False, True])
def test_where_plain_steps_are_replayed_drafts_seldom_right_cost_next_to_nothing(
    repeats: bool, chance: float
) -> None:
    machine = Machine(GPU)
    policy, n = Contestant(machine, BOTH), 6
    spent = sum(policy.seconds(made(300, chance, seed, repeats)) for seed in range(n))
    assert n * 299 * machine.target_s[1] / spent >= 0.98


def test_where_plain_steps_are_replayed_good_drafts_are_made_use_of() -> None:
    machine = Machine(GPU)
    policy = Contestant(machine, MODEL)
    paces = [policy.seconds(made(300, 0.97, seed)) for seed in range(3)]
    assert 299 * machine.target_s[1] / paces[-1] > 1.8


def test_joined_answers_are_their_segments_one_after_another() -> None:
    parts = [made(20, 0.9, 1), made(30, 0.5, 2)]
    whole, (first, second) = lab.joined(parts), lab.segments(parts)
    assert whole.tokens == first.tokens + second.tokens
    assert whole.model == first.model + second.model
    assert (first.prompt, second.prompt) == (whole.prompt, whole.prompt + first.tokens)


@pytest.mark.parametrize("costs", ["flat", "steady"])
def test_a_change_of_topic_is_noticed_before_it_costs_much(costs: str) -> None:
    machine = Machine(COSTS[costs])
    answers = [
        replace(made(250, 1.0), tokens=tuple(range(1000 * n, 1000 * n + 250))) for n in (1, 2, 3)
    ]
    good, other, back = (lab.perfect(answer, 0.95) for answer in answers)
    assert -0.05 < switch_cost(good, lab.useless(other), back, machine) < 0.05


def test_a_dear_model_that_no_text_suits_is_not_made_to_catch_up_in_mid_answer() -> None:
    machine = Machine(DEAR)
    policy = Contestant(machine, MODEL)
    trace = lab.useless(made(160, 0.7))
    plain = 159 * machine.target_s[1]
    shares = [plain / policy.seconds(trace) for _ in range(8)]
    assert min(shares) > 0.96, "the first answer pays for learning it"
    assert min(shares[1:]) > 0.98


def test_a_dear_model_is_asked_again_where_a_better_lookup_finds_nothing_more() -> None:
    machine = Machine(DEAR)
    copied = tuple(range(10, 170))
    copy = replace(made(160, 0.5), prompt=(*copied, 1, 2, 3, 4), tokens=copied)
    new = lab.perfect(replace(made(160, 1.0), tokens=tuple(range(2000, 2160))), 0.9)
    policy = Contestant(machine, BOTH)
    for _ in range(4):
        policy.seconds(copy)
    assert best_s(new, machine) / policy.seconds(new) > 0.85


def test_what_few_answers_can_show_is_shown() -> None:
    figures = scenarios([made(60, 0.7), made(60, 0.7, seed=1)], Machine(DEAR))
    assert figures["useless draft, 0.9 sure: share of plain"] > 0.9
    assert not any("turns useless" in name or "switch" in name for name in figures)


@pytest.mark.parametrize(
    "words", [["--source", "model.gguf"], ["--set", "general"], ["--model", "model.gguf"]]
)
def test_another_recording_never_takes_the_place_of_the_embedded_pairs(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle", *words])
    with pytest.raises(SystemExit):
        oracle.arguments()
    monkeypatch.setattr(sys, "argv", ["oracle"])
    assert oracle.arguments().traces == oracle.RECORDED
