"""The laws of the loop, against a target that is a table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine import drafters
from engine.cache.tokens import TokenCache
from engine.sampling.sampler import Sampler
from engine.session import Session
from engine.settings import SamplingSettings
from tests.engine.fakes import END, CallableDrafter, TableDecoder, noise_for, sampler
from tests.engine.running import PROMPT, one_by_one, run

SETTINGS = [
    {"temperature": 0.0},
    {"temperature": 0.3},
    {"temperature": 0.8, "repeat_penalty": 1.3},
    {"temperature": 1.2, "top_k": 0},
    {"temperature": 0.0, "repeat_penalty": 1.5, "repeat_last_n": 3},
]


def parts(closeness: float = 0.7) -> drafters.Parts:
    return drafters.Parts(TokenCache(TableDecoder(key=1, closeness=closeness)), 24)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("name", drafters.names())
@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 16])
def test_seeded_text_is_the_same_for_every_drafter_and_draft_length(
    name: str, length: int, settings: dict[str, float]
) -> None:
    drawn = sampler(**settings)
    reader, _ = run(drafters.build(name, parts()), drawn, length)
    assert reader.tokens == one_by_one(drawn)


def oracle(answer: Sequence[int]) -> CallableDrafter:
    return CallableDrafter(lambda context, limit: answer[len(context) - len(PROMPT) :][:limit])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_an_oracle_is_accepted_whole_and_changes_nothing(settings: dict[str, float]) -> None:
    drawn = sampler(**settings)
    answer = one_by_one(drawn)
    reader, steps = run(oracle(answer), drawn, length=4)
    assert reader.tokens == answer
    assert sum(step.accepted for step in steps) == sum(step.tested for step in steps)
    assert len(steps) <= len(answer) // 5 + 2


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_garbage_costs_only_speed(settings: dict[str, float]) -> None:
    drawn = sampler(**settings)
    answer = one_by_one(drawn)
    wrong = CallableDrafter(
        lambda context, limit: [
            (answer[i] + 1) % 24 if i < len(answer) else 1
            for i in range(len(context) - len(PROMPT), len(context) - len(PROMPT) + limit)
        ]
    )
    reader, steps = run(wrong, drawn)
    assert reader.tokens == answer
    assert any(step.draft.tokens for step in steps)
    assert all(step.accepted == 0 for step in steps)
    assert all(step.tested == 1 for step in steps if step.draft.tokens)


def test_between_steps_the_cache_holds_all_committed_tokens_but_the_last() -> None:
    target = TableDecoder()
    session = Session(target)
    run(drafters.build("draft_model", parts()), session=session, target=target)
    assert target.held == session.tokens[:-1]


def test_the_target_evaluates_every_token_once_but_for_rejected_drafts() -> None:
    target = TableDecoder()
    _, steps = run(drafters.build("draft_model", parts()), target=target)
    rejected = sum(len(step.draft.tokens) - step.accepted for step in steps)
    assert len(target.evaluated) == len(target.held) + rejected


def test_origins_name_drafter_corrected_bonus_and_plain() -> None:
    drawn = sampler(0.0)
    answer = one_by_one(drawn)
    reader, _ = run(oracle(answer[:4]), drawn, length=4)
    assert reader.origins[:6] == ["plain", *["callable"] * 3, "bonus", "plain"]
    wrong = CallableDrafter(lambda context, limit: [(answer[1] + 1) % 24])
    reader, _ = run(wrong, drawn, n=2)
    assert reader.origins == ["plain"] * 2, "one token of room leaves none for a draft"
    reader, _ = run(wrong, drawn, n=3)
    assert reader.origins[:2] == ["plain", "corrected"]


def test_an_end_inside_a_draft_cuts_what_is_behind_it() -> None:
    drawn = sampler(0.0)
    answer = one_by_one(drawn, n=400)
    assert answer[-1] == END, "this table must end for the test to mean anything"
    behind = CallableDrafter(
        lambda context, limit: [*answer[len(context) - len(PROMPT) :], *[3] * limit][:limit]
    )
    reader, steps = run(behind, drawn, length=7, n=400)
    assert reader.tokens == answer
    assert steps[-1].finish == "stop"
    assert sum(len(step.tokens) for step in steps) == len(answer)


def test_a_cut_step_counts_what_was_committed_of_it() -> None:
    drawn = Sampler(SamplingSettings(temperature=0.0), noise_for(1e9))
    answer = one_by_one(drawn, n=400)
    said = [*PROMPT, *answer]
    for _ in range(8):
        said.append(int(TableDecoder().row(said).argmax()))
    knowing = CallableDrafter(lambda context, limit: said[len(context) :][:limit])
    _, steps = run(knowing, drawn, length=7, n=400)
    last = steps[-1]
    n = len(last.tokens)
    assert last.tokens[-1] == END and n < len(last.draft.tokens), "an end inside of a right draft"
    assert last.accepted == last.tested == n
    assert last.near_ties == tuple(range(n))


def test_no_draft_is_longer_than_what_may_still_be_emitted() -> None:
    for n in range(1, 12):
        reader, steps = run(CallableDrafter(lambda context, limit: [1] * limit), n=n, length=8)
        assert len(reader.tokens) <= n
        assert sum(len(step.tokens) for step in steps) == len(reader.tokens)
