"""The contract that every drafter keeps, run over all that there are."""

from __future__ import annotations

import pytest

from engine import drafters
from engine.cache.tokens import TokenCache
from engine.errors import SettingError
from engine.policy.fixed_length import FixedAllowance
from tests.engine.fakes import VOCAB, TableDecoder, picker, sampler, step
from tests.engine.running import PROMPT, run


def parts() -> drafters.Parts:
    return drafters.Parts(TokenCache(TableDecoder(key=1, closeness=0.7)), VOCAB)


@pytest.fixture(params=drafters.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_it_bears_its_files_name(name: str) -> None:
    assert drafters.build(name, parts()).name == name


def test_it_proposes_at_most_what_it_is_allowed(name: str) -> None:
    drafter = drafters.build(name, parts())
    drafter.begin(PROMPT, picker())
    for limit in (1, 2, 7):
        draft = drafter.propose(PROMPT, FixedAllowance(limit))
        assert len(draft.tokens) <= limit
        assert len(draft.confidences) == len(draft.tokens)
        assert all(0.0 <= c <= 1.0 for c in draft.confidences)
        drafter.observe(step((1,), draft))
        drafter.begin(PROMPT, picker())


def test_its_drafts_bear_the_name_of_a_member(name: str) -> None:
    drafter = drafters.build(name, parts())
    _, steps = run(drafter)
    names = {origin for s in steps for origin in s.draft.origins}
    assert names <= set(drafter.members)
    assert bool(drafter.members) == (name != "none")


def test_after_steps_that_another_won_it_proposes_what_a_fresh_one_would(name: str) -> None:
    drafter = drafters.build(name, parts())
    drafter.begin(PROMPT, picker())
    drafter.propose(PROMPT, FixedAllowance(4))
    context = list(PROMPT)
    for token in (9, 10, 11, 9, 10):
        drafter.observe(step((token,)))
        context.append(token)
    fresh = drafters.build(name, parts())
    fresh.begin(context, picker())
    proposed = drafter.propose(context, FixedAllowance(4))
    assert proposed == fresh.propose(context, FixedAllowance(4))
    assert bool(proposed.tokens) == bool(drafter.members)


def test_a_second_answer_may_begin_anywhere(name: str) -> None:
    drafter = drafters.build(name, parts())
    drawn = sampler()
    first, _ = run(drafter, drawn)
    other, _ = run(drafter, drawn, prompt=(1, 2, 3, 1, 2))
    again, _ = run(drafter, drawn)
    assert first.tokens == again.tokens != other.tokens


def test_it_needs_no_clock_of_its_own(name: str) -> None:
    assert drafters.build(name, parts()).decode_s == 0.0


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"magic.*auto, draft_model, lookup, none"):
        drafters.build("magic", parts())


def test_without_a_draft_model_only_its_own_drafter_is_unavailable() -> None:
    for name in drafters.names():
        if name == "draft_model":
            with pytest.raises(drafters.Unavailable, match="--model-draft"):
                drafters.build(name, drafters.Parts())
        else:
            drafters.build(name, drafters.Parts())


def test_a_draft_model_is_loaded_only_for_who_uses_it() -> None:
    assert [name for name in drafters.names() if drafters.uses_draft_model(name)] == [
        "auto",
        "draft_model",
    ]
