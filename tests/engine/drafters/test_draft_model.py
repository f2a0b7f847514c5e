"""The draft model evaluates nothing twice, and never goes where it must not."""

from __future__ import annotations

import pytest

from engine.cache.tokens import TokenCache
from engine.drafters.draft_model import DraftModel
from engine.policy.fixed_length import FixedAllowance
from engine.types import NO_DRAFT, Draft, Step
from tests.engine.fakes import VOCAB, TableDecoder, picker, sampler, step
from tests.engine.running import PROMPT, run


def drafting(**settings: float) -> tuple[TableDecoder, DraftModel]:
    decoder = TableDecoder(key=3, closeness=0.8, **settings)  # type: ignore[arg-type]
    return decoder, DraftModel(TokenCache(decoder), VOCAB)


def begun(n: int, **settings: float) -> tuple[TableDecoder, DraftModel, Draft]:
    """A draft model that has drafted n tokens behind the prompt."""
    decoder, drafter = drafting(**settings)
    drafter.begin(PROMPT, picker())
    draft = drafter.propose(PROMPT, FixedAllowance(n))
    decoder.batches.clear()
    decoder.evaluated.clear()
    return decoder, drafter, draft


def another(token: int) -> int:
    return (token + 1) % VOCAB


def something_drafted(steps: list[Step]) -> bool:
    return any(step.draft.tokens for step in steps)


class Watched(FixedAllowance):
    """Notes how many tokens were evaluated for each that was drafted."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.lags: list[int] = []

    def take(self, drafter: str, confidences: object, lag: int = 0) -> None:
        super().take(drafter, confidences, lag)  # type: ignore[arg-type]
        self.lags.append(lag)


@pytest.mark.parametrize("length", [1, 2, 4, 8])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_nothing_is_evaluated_twice(length: int, temperature: float) -> None:
    decoder, drafter = drafting()
    _, steps = run(drafter, sampler(temperature), length)
    assert any(s.accepted == len(s.draft.tokens) > 0 for s in steps), "needs a full acceptance"
    assert any(s.accepted < len(s.draft.tokens) for s in steps), "needs a rejection"
    rejected = sum(max(0, len(s.draft.tokens) - 1 - s.accepted) for s in steps)
    assert len(decoder.evaluated) <= len(decoder.held) + rejected


def test_after_full_acceptance_two_tokens_go_in_together() -> None:
    decoder, drafter, draft = begun(4)
    said = (*draft.tokens, 9)
    drafter.observe(step(said, draft))
    drafter.propose([*PROMPT, *said], FixedAllowance(4))
    assert decoder.batches == [2, 1, 1, 1]


def test_after_a_rejection_one_token_goes_in() -> None:
    decoder, drafter, draft = begun(4)
    said = (draft.tokens[0], another(draft.tokens[1]))
    drafter.observe(step(said, draft))
    drafter.propose([*PROMPT, *said], FixedAllowance(4))
    assert decoder.batches[0] == 1
    assert decoder.held[: len(PROMPT) + 2] == [*PROMPT, *said]


@pytest.mark.parametrize("lag", [1, 4, 30])
def test_a_lag_is_caught_up_in_one_batch(lag: int) -> None:
    decoder, drafter, draft = begun(4)
    said = [another(draft.tokens[0]), *(3 + i % 9 for i in range(lag - 1))]
    for token in said:
        drafter.observe(step((token,)))
    drafter.propose([*PROMPT, *said], FixedAllowance(4))
    assert decoder.batches == [lag, 1, 1, 1]


@pytest.mark.parametrize("lag", [2, 3, 4])
def test_where_single_tokens_settle_a_few_are_caught_up_one_by_one(lag: int) -> None:
    decoder, drafter, draft = begun(4, settles=2)
    said = [another(draft.tokens[0]), *(3 + i % 9 for i in range(lag - 1))]
    for token in said:
        drafter.observe(step((token,)))
    batched, batches = begun(4)[1], decoder.batches
    for token in said:
        batched.observe(step((token,)))
    context = [*PROMPT, *said]
    allowances = Watched(4), Watched(4)
    drafts = [d.propose(context, a) for d, a in zip((drafter, batched), allowances, strict=True)]
    assert batches == ([1] * lag if lag < 4 else [4]) + [1, 1, 1]
    assert drafts[0] == drafts[1], "and what is drafted is the same"
    assert allowances[0].lags == allowances[1].lags


def test_what_is_longer_than_a_batch_goes_in_a_batch_a_step_and_the_text_goes_on_meanwhile() -> (
    None
):
    decoder, drafter = drafting(n_batch=8)
    context = [i % 20 + 1 for i in range(21)]
    drafter.begin(context, picker())
    lags, drafts = [], []
    for _ in range(3):
        allowance = Watched(1)
        drafts.append(drafter.propose(context, allowance))
        lags.append(allowance.lags)
        drafter.observe(step((7,), drafts[-1]))
        context.append(7)
    assert decoder.batches == [8, 8, 7]
    assert lags == [[8], [8], [7]]
    assert drafts[:2] == [NO_DRAFT] * 2 and drafts[2].tokens


def test_a_smaller_context_ends_drafting_not_the_answer() -> None:
    decoder, drafter = drafting(n_ctx=20)
    reader, steps = run(drafter, sampler(), n=60)
    assert len(reader.tokens) == 60
    assert len(decoder.held) <= 20
    assert something_drafted(steps)
    assert not steps[-1].draft.tokens


def test_ids_outside_the_common_vocabulary_are_never_proposed() -> None:
    drafter = DraftModel(TokenCache(TableDecoder(key=1)), 5)
    _, steps = run(drafter, sampler(1.2))
    assert something_drafted(steps)
    assert all(token < 5 for step in steps for token in step.draft.tokens)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("penalty", [{"repeat_penalty": 1.5}, {"frequency_penalty": 0.7}], ids=str)
def test_a_draft_model_that_is_its_target_is_always_right(
    penalty: dict[str, float], temperature: float
) -> None:
    drafter = DraftModel(TokenCache(TableDecoder()), VOCAB)
    _, steps = run(drafter, sampler(temperature, repeat_last_n=3, **penalty))
    assert something_drafted(steps)
    assert all(step.accepted == step.tested for step in steps)


def test_coupled_drafts_are_accepted_more_often_than_independent_ones() -> None:
    def rate(shift: int) -> float:
        accepted = tested = 0
        for seed in range(30):
            _, drafter = drafting()
            own = picker(1.0, seed=seed + shift)
            begin = drafter.begin
            drafter.begin = lambda context, _, own=own, begin=begin: begin(context, own)  # type: ignore[method-assign]
            _, steps = run(drafter, sampler(1.0, seed=seed), n=40)
            accepted += sum(s.accepted for s in steps)
            tested += sum(s.tested for s in steps)
        return accepted / tested

    assert rate(0) > rate(1000) + 0.05
