"""What the lookup finds."""

from __future__ import annotations

import pytest

from engine.drafters.lookup import CHUNK, REMEMBERED, Lookup, confidence
from engine.drafting.automaton import Automaton, Guess
from engine.policy.fixed_length import FixedAllowance
from engine.types import NO_DRAFT, Draft
from tests.engine.fakes import picker, step


def looked_up(context: list[int], memory: Automaton | None = None, limit: int = 4) -> Draft:
    drafter = Lookup(memory)
    drafter.begin(context, picker())
    return drafter.propose(context, FixedAllowance(limit))


def test_it_proposes_what_followed_last_time() -> None:
    assert looked_up([1, 2, 3, 4, 5, 9, 1, 2]).tokens == (3, 4, 5, 9)


def test_the_longest_match_wins_over_the_latest() -> None:
    assert looked_up([1, 2, 3, 7, 8, 2, 3, 6, 1, 2, 3]).tokens[0] == 7


def test_the_most_frequent_continuation_wins_over_the_latest() -> None:
    assert looked_up([1, 2, 7, 5, 1, 2, 7, 4, 1, 2, 8, 6, 1, 2]).tokens[0] == 7


def test_of_equal_matches_the_latest_wins() -> None:
    assert looked_up([1, 2, 7, 5, 1, 2, 8, 6, 1, 2]).tokens[0] == 8


def test_one_token_is_no_match() -> None:
    assert looked_up([1, 2, 3, 1]) == NO_DRAFT


def test_a_repetition_is_proposed_as_far_as_is_allowed() -> None:
    assert looked_up([7, 7, 7, 7]).tokens == (7, 7, 7, 7)


def test_a_draft_is_longer_than_a_chunk_where_there_is_room() -> None:
    text = list(range(100, 140))
    assert looked_up([*text, 1, *text[:3]], limit=30).tokens == tuple(text[3:33])
    assert CHUNK < 30


@pytest.mark.parametrize("limit", [1, 4, CHUNK, 30])
def test_step_by_step_it_knows_what_it_would_at_once_where_nothing_was_edited(limit: int) -> None:
    step_by_step, at_once = Lookup(), Lookup()
    tokens = [1, 2, 3, 1, 2, 3, 1, 2]
    step_by_step.begin(tokens[:1], picker())
    for token in tokens[1:]:
        step_by_step.observe(step((token,)))
    at_once.begin(tokens, picker())
    found = [d.propose(tokens, FixedAllowance(limit)) for d in (step_by_step, at_once)]
    assert found[0] == found[1] != NO_DRAFT


def test_what_another_drafted_is_indexed_as_it_was_committed() -> None:
    drafter = Lookup()
    drafter.begin([1, 2], picker())
    other = Draft((3, 4, 5), "another", (0.9,) * 3)
    drafter.observe(step((3, 4, 6), other))
    drafter.observe(step((1, 2)))
    assert drafter.propose([1, 2, 3, 4, 6, 1, 2], FixedAllowance(3)).tokens == (3, 4, 6)


def test_an_edit_of_what_is_copied_is_drafted_again_and_the_copy_behind_it() -> None:
    name, other = 50, [60, 61]
    source = [1, 2, 3, name, 4, 5, 6, name, 7, 8, 9]
    said = [1, 2, 3, *other, 4, 5, 6]
    drafter = Lookup()
    drafter.begin([*source, 99], picker())
    for token in said:
        drafter.observe(step((token,)))
    drafted = drafter.propose([*source, 99, *said], FixedAllowance(5))
    assert drafted.tokens == (*other, 7, 8, 9)


def test_a_new_prompt_ends_the_copying_of_the_last_answer() -> None:
    source, said = [1, 2, 3, 50, 4, 5, 6, 7], [1, 2, 3, 60, 4, 5]
    drafter = Lookup()
    drafter.begin([*source, 99], picker())
    for token in said:
        drafter.observe(step((token,)))
    context = [*source, 99, *said]
    assert drafter.propose(context, FixedAllowance(2)).tokens == (6, 7)
    drafter.begin([*context, 77], picker())
    assert drafter.propose([*context, 77], FixedAllowance(2)) == NO_DRAFT


def test_proposing_twice_says_the_same() -> None:
    context = [1, 2, 3, 4, 5, 9, 1, 2]
    drafter = Lookup()
    drafter.begin(context, picker())
    first = drafter.propose(context, FixedAllowance(4))
    assert drafter.propose(context, FixedAllowance(4)) == first != NO_DRAFT


def test_a_new_turn_that_goes_on_keeps_the_index_and_another_chat_drops_it() -> None:
    drafter = Lookup()
    drafter.begin([1, 2, 3, 4], picker())
    drafter.begin([1, 2, 3, 4, 9, 1, 2], picker())
    assert drafter.propose([1, 2, 3, 4, 9, 1, 2], FixedAllowance(4)).tokens[:2] == (3, 4)
    drafter.begin([9, 1, 2], picker())
    assert drafter.propose([9, 1, 2], FixedAllowance(4)) == NO_DRAFT


def test_longer_more_frequent_and_more_unanimous_matches_are_trusted_more() -> None:
    def trust(length: int = 3, share: float = 0.5, count: int = 2) -> float:
        return confidence(Guess(1, length, share, count))

    for what, values in (("length", (2, 3, 9)), ("share", (0.1, 0.5, 1.0)), ("count", (1, 2, 9))):
        trusts = [trust(**{what: value}) for value in values]  # type: ignore[arg-type]
        assert 0 < trusts[0] < trusts[1] < trusts[2] < 1


def remembered(*texts: list[int]) -> Automaton:
    memory = Automaton()
    for text in texts:
        memory.start_document()
        memory.extend(text)
    return memory


def test_what_this_conversation_lacks_is_looked_up_in_earlier_ones() -> None:
    memory = remembered([4, 5, 6, 7, 8, 9])
    assert looked_up([1, 4, 5, 6], memory).tokens == (7, 8, 9)
    assert looked_up([1, 4, 5, 6]) == NO_DRAFT


@pytest.mark.parametrize(("length", "first"), [(2, 2), (4, 2), (5, 7)])
def test_a_match_in_an_earlier_conversation_wins_where_it_is_more_than_twice_as_long(
    length: int, first: int
) -> None:
    common = [9, 8, 3, 5, 6]
    earlier = remembered([*common[-length:], 7])
    assert looked_up([5, 6, 2, 4, *common], earlier).tokens[0] == first


def test_a_match_of_one_token_here_does_not_hide_one_elsewhere() -> None:
    here = [6, 2, 4, 5, 6]
    assert looked_up(here) == NO_DRAFT
    assert looked_up(here, remembered([5, 6, 7])).tokens == (7,)


def test_a_match_in_an_earlier_conversation_is_worth_less() -> None:
    memory = remembered([4, 5, 6, 7, 8, 9])
    theirs = looked_up([1, 4, 5, 6], memory, limit=1).confidences
    ours = looked_up([4, 5, 6, 7, 1, 4, 5, 6], limit=1).confidences
    assert theirs == pytest.approx([REMEMBERED * ours[0]])


def test_the_memory_follows_what_is_said_step_by_step() -> None:
    drafter = Lookup(remembered([4, 5, 6, 7, 8, 9]))
    drafter.begin([1, 2], picker())
    assert drafter.propose([1, 2], FixedAllowance(4)) == NO_DRAFT
    drafter.observe(step((4, 5)))
    assert drafter.propose([1, 2, 4, 5], FixedAllowance(2)).tokens == (6, 7)


def test_a_prompt_does_not_go_on_where_an_earlier_conversation_ended() -> None:
    ended = remembered([1, 2, 3, 4, 5], [9, 1, 2, 3])
    assert looked_up([4], ended) == NO_DRAFT, "one token is no match, whatever was said before"
