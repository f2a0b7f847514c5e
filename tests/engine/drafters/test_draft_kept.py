"""What was drafted and not verified stays drafted, as long as the text goes that way."""

from __future__ import annotations

import pytest

from engine.cache.rollback import Drop, Kind, Replay
from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.drafting.growing import Growing
from engine.policy.fixed_length import FixedAllowance
from engine.types import Draft
from tests.engine.drafters.test_draft_model import Watched, another, begun, drafting
from tests.engine.fakes import VOCAB, TableDecoder, picker, sampler, step
from tests.engine.running import PROMPT, run


def fresh_draft(context: list[int], n: int) -> tuple[int, ...]:
    _, drafter = drafting()
    drafter.begin(context, picker())
    return drafter.propose(context, FixedAllowance(n)).tokens


@pytest.mark.parametrize("verified", [0, 1, 3, 5])
def test_cut_tokens_that_the_target_said_itself_are_not_evaluated_again(verified: int) -> None:
    decoder, drafter, uncut = begun(6)
    said = uncut.tokens[: verified + 1]
    drafter.observe(step(said, uncut.first(verified), uncut))
    context = [*PROMPT, *said]
    again = drafter.propose(context, FixedAllowance(8))
    assert again.tokens[: 5 - verified] == uncut.tokens[verified + 1 :], "still drafted"
    assert again.tokens == fresh_draft(context, 8)
    assert decoder.evaluated == list(range(len(PROMPT) + 5, len(context) + 7)), "each token once"


def test_step_by_step_along_its_own_draft_it_evaluates_nothing() -> None:
    decoder, drafter, uncut = begun(6)
    assert len(uncut.tokens) == 6
    for i, token in enumerate(uncut.tokens[:5]):
        drafter.observe(step((token,), uncut.first(0), uncut))
        rest = drafter.propose([*PROMPT, *uncut.tokens[: i + 1]], FixedAllowance(5 - i))
        assert rest.tokens == uncut.tokens[i + 1 :]
    assert decoder.batches == []


def test_tokens_that_are_still_drafted_are_free() -> None:
    _, drafter, uncut = begun(6)
    drafter.observe(step(uncut.tokens[:1], uncut.first(0), uncut))
    allowance = Watched(7)
    drafter.propose([*PROMPT, uncut.tokens[0]], allowance)
    assert allowance.lags == [0, 0, 0, 0, 0, 1, 1], "no token takes back time"


def test_a_contradiction_drops_all_that_was_drafted_behind_it() -> None:
    decoder, drafter, uncut = begun(6)
    said = (uncut.tokens[0], another(uncut.tokens[1]))
    drafter.observe(step(said, uncut.first(2), uncut))
    context = [*PROMPT, *said]
    assert decoder.held == context[:-1]
    assert drafter.propose(context, FixedAllowance(6)).tokens == fresh_draft(context, 6)


def test_it_extends_what_another_drafted_and_drops_its_own_tail_if_that_contradicts() -> None:
    decoder, drafter, uncut = begun(6)
    drafter.observe(step(uncut.tokens[:1], uncut.first(0), uncut))
    context = [*PROMPT, uncut.tokens[0]]
    theirs = [uncut.tokens[1], another(uncut.tokens[2])]
    draft = Growing()
    for token in theirs:
        draft.add("lookup", token, 0.9)
    drafter.extend(context, draft, FixedAllowance(8))
    assert draft.drafters == ["lookup", "lookup", "draft_model"]
    assert decoder.held == [*context, *theirs]
    assert draft.tokens[2:] == list(fresh_draft([*context, *theirs], 1))


def test_a_lookup_that_agrees_with_its_tail_costs_it_nothing() -> None:
    decoder, drafter, uncut = begun(6)
    drafter.observe(step(uncut.tokens[:1], uncut.first(0), uncut))
    draft = Growing()
    draft.add("lookup", uncut.tokens[1], 0.9)
    drafter.extend([*PROMPT, uncut.tokens[0]], draft, FixedAllowance(8))
    assert draft.tokens == list(uncut.tokens[1:3])
    assert decoder.batches == []


@pytest.mark.parametrize("n_said", [1, 2, 3])
def test_it_drafts_within_what_another_drafted_and_it_only_read(n_said: int) -> None:
    decoder, drafter = drafting()
    drafter.begin(PROMPT, picker())
    draft = Growing()
    for token in (5, 6, 7):
        draft.add("lookup", token, 0.9)
    drafter.extend(PROMPT, draft, FixedAllowance(8))
    uncut, said = draft.done(), draft.tokens[:n_said]
    drafter.observe(step(said, uncut.first(n_said - 1), uncut))
    context, allowance = [*PROMPT, *said], Watched(4)
    again = drafter.propose(context, allowance)
    assert again.tokens == fresh_draft(context, 4)
    assert decoder.held == [*context, *again.tokens[:-1]]
    assert allowance.lags == [int(n_said < 3), 1, 1, 1]


@pytest.mark.parametrize("length", [1, 3, 6])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_where_going_back_is_a_replay_drafts_are_the_same(length: int, temperature: float) -> None:
    def drafts(rollback: Kind) -> list[Draft]:
        decoder = TableDecoder(key=3, closeness=0.8, can_drop=rollback is Drop)
        drafter = DraftModel(TokenCache(decoder, rollback), VOCAB)
        _, steps = run(drafter, sampler(temperature), length)
        assert any(s.accepted < s.tested for s in steps) and any(s.accepted for s in steps)
        return [s.draft for s in steps]

    assert drafts(Replay) == drafts(Drop)


def test_a_replay_never_holds_more_than_is_committed() -> None:
    decoder = TableDecoder(key=1, closeness=0.8, can_drop=False)
    drafter = DraftModel(TokenCache(decoder, Replay), VOCAB)
    drafter.begin(PROMPT, picker())
    uncut = drafter.propose(PROMPT, FixedAllowance(6))
    said = uncut.tokens[:2]
    drafter.observe(step(said, uncut.first(1), uncut))
    context = [*PROMPT, *said]
    assert decoder.held == context[:-1]
    again = drafter.propose(context, FixedAllowance(6))
    assert again.tokens == fresh_draft(context, 6)
