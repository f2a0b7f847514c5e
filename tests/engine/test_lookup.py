"""What the lookup finds."""

from __future__ import annotations

from engine.drafters.lookup import LONGEST, Lookup, match_confidence
from engine.policy import FixedAllowance
from engine.types import NO_DRAFT, Step
from tests.engine.fakes import picker

ALL = FixedAllowance(4)


def looked_up(context: list[int], allowance: FixedAllowance = ALL) -> tuple[int, ...]:
    drafter = Lookup()
    drafter.begin(context, picker())
    return drafter.propose(context, allowance).tokens


def test_it_proposes_what_followed_last_time() -> None:
    assert looked_up([1, 2, 3, 4, 5, 9, 1, 2]) == (3, 4, 5, 9)


def test_the_longest_match_wins_over_the_latest() -> None:
    assert looked_up([1, 2, 3, 7, 8, 2, 3, 6, 1, 2, 3])[0] == 7


def test_of_equal_matches_the_latest_wins() -> None:
    assert looked_up([1, 2, 7, 5, 1, 2, 8, 6, 1, 2])[0] == 8


def test_one_token_is_no_match() -> None:
    assert looked_up([1, 2, 3, 1]) == ()


def test_a_match_at_the_very_end_is_proposed_as_far_as_it_goes() -> None:
    assert looked_up([7, 7, 7, 7]) == (7,)


def test_doubt_silences_a_short_match_only() -> None:
    doubtful = FixedAllowance(4, (match_confidence(2) + match_confidence(3)) / 2)
    assert looked_up([1, 2, 9, 1, 2], doubtful) == ()
    assert looked_up([1, 2, 3, 9, 1, 2, 3], doubtful) == (9, 1, 2, 3)


def test_it_indexes_tokens_once_as_they_are_committed() -> None:
    step_by_step, at_once = Lookup(), Lookup()
    tokens = [1, 2, 3, 1, 2, 4, 1, 2, 3, 1, 2]
    step_by_step.begin(tokens[:1], picker())
    for token in tokens[1:]:
        step_by_step.observe(Step(NO_DRAFT, (token,), 0, 0, (), 0.0, 0.0))
    at_once.begin(tokens, picker())
    assert step_by_step.propose(tokens, ALL) == at_once.propose(tokens, ALL)


def test_a_new_turn_that_goes_on_keeps_the_index_and_another_chat_drops_it() -> None:
    drafter = Lookup()
    drafter.begin([1, 2, 3, 4], picker())
    drafter.begin([1, 2, 3, 4, 9, 1, 2], picker())
    assert drafter.propose([1, 2, 3, 4, 9, 1, 2], ALL).tokens[:2] == (3, 4)
    drafter.begin([9, 1, 2], picker())
    assert drafter.propose([9, 1, 2], ALL) == NO_DRAFT


def test_longer_matches_are_trusted_more() -> None:
    trusts = [match_confidence(n) for n in range(2, LONGEST + 1)]
    assert trusts == sorted(trusts) and 0 < trusts[0] < trusts[-1] < 1
