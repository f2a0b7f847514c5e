"""A fixed draft length learns nothing of drafts, but what steps take."""

from __future__ import annotations

import pytest

from engine.cache.tokens import TokenCache
from engine.costs.curves import CostCurves
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.policy.fixed_length import FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.types import Draft, Drafter, Policy
from engine.verifiers.coupled import Coupled
from tests.engine.fakes import VOCAB, ScriptedReader, TableDecoder, sampler, step
from tests.engine.running import PROMPT
from tests.engine.simulated import FLAT, Model, World, always, warmed

N = 4


def curves() -> CostCurves:
    return World(FLAT, draft_s=0.02).curves()


def expected_s(policy: Policy, drafter: Drafter) -> list[float]:
    """What the drafting of each step of an answer should have taken."""
    session = Session(TableDecoder())
    session.begin(PROMPT)
    assert session.prefill(lambda: False)
    verifier = Coupled(sampler())
    drafter.begin(session.tokens, verifier)
    steps = speculate(session, drafter, verifier, policy, ScriptedReader(40))
    return [step.expected_draft_s for step in steps]


def test_a_machine_that_is_slower_than_when_it_was_measured_is_known_to_be() -> None:
    slow = World({n: 2.5 * s for n, s in FLAT.items()}, draft_s=0.05)
    known = curves()
    before = known.target_s(1, 6000)
    slow.run(FixedLength(N, known), [Model(always(0.5, right=True))], 40, start=6000)
    assert known.target_s(1, 6000) == pytest.approx(2.5 * before, rel=0.1)


def test_neither_the_first_step_nor_plain_ones_nor_wider_ones_tell_that() -> None:
    slow = World({n: 9.0 * s for n, s in FLAT.items()}, draft_s=0.05)
    known, before = curves(), curves()
    slow.run(FixedLength(N, known), [Model(always(0.5, right=True))], 1)
    slow.run(FixedLength(N, known), [], 20)
    policy, guess = FixedLength(N, known), Draft((1,), "draft_model", (0.5,))
    for _ in range(20):
        policy.allow(200, 100)
        policy.observe(step((1, 2), guess, step_s=9.0, batch=N + 1))
    assert known.measured() == before.measured()


def test_drafting_is_expected_to_take_what_all_that_is_evaluated_does() -> None:
    model = DraftModel(TokenCache(TableDecoder(key=1)), VOCAB)
    plain, first = expected_s(FixedLength(N, curves()), model)[:2]
    each, behind_prompt = curves().draft_s(1), curves().draft_s(len(PROMPT) + 1)
    assert plain == 0.0
    assert first == pytest.approx((N - 1) * each + behind_prompt, rel=0.01)


@pytest.mark.parametrize("known", [True, False])
def test_where_no_model_drafts_or_nothing_is_known_none_is_expected(known: bool) -> None:
    if known:
        assert set(expected_s(FixedLength(N, curves()), Lookup())) == {0.0}
    else:
        model = DraftModel(TokenCache(TableDecoder(key=1)), VOCAB)
        assert set(expected_s(FixedLength(N), model)) == {0.0}


def test_the_policy_that_chooses_expects_the_same_of_a_draft() -> None:
    world = World(FLAT, draft_s=0.02)
    policy = warmed(world)
    allowance = policy.allow(200, 100)
    allowance.take("draft_model", (0.9,), lag=1)
    allowance.take("draft_model", (0.9,), lag=1)
    assert allowance.drafting_s == pytest.approx(2 * 0.02)
