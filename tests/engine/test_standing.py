"""A drafter whose drafts cost more than they bring is only watched until they would pay."""

from __future__ import annotations

import pytest

from engine.experience import Experience
from engine.standing import CARRIED, LEAST, MEMORY, MOST, Standing
from tests.engine.simulated import LOOKUP, STEEP, Claims, Found, World, widths

COST = 4.0


def overdrawn() -> Standing:
    standing = Standing()
    standing.verified(1, COST)
    assert not standing.is_good
    return standing


def test_an_account_begins_in_good_standing_and_a_draft_in_vain_ends_that() -> None:
    standing = Standing()
    assert standing.is_good
    standing.verified(1, COST)
    assert not standing.is_good


@pytest.mark.parametrize("blocks", [((7, 8, 9, 5),), ((7,), (8, 9), (5,)), ((7, 8, 9), (5, 6))])
def test_a_watched_draft_that_was_right_mends_it_in_whatever_blocks_it_was_said(
    blocks: tuple[tuple[int, ...], ...],
) -> None:
    standing = overdrawn()
    standing.watch((7, 8, 9), 2.0)
    for said in blocks[:-1]:
        standing.said(said)
        assert not standing.is_good, "the token behind the draft is part of what it brings"
    standing.said(blocks[-1])
    assert standing.is_good


def test_one_that_was_wrong_does_not_and_what_is_right_behind_a_difference_counts_for_nothing() -> (
    None
):
    standing = overdrawn()
    standing.watch((7, 1, 9, 5, 6), 2.0)
    standing.said((7, 8, 9, 5, 6, 4))
    assert not standing.is_good


def test_of_two_that_overlap_only_the_first_is_watched() -> None:
    standing = overdrawn()
    standing.watch((7, 8, 9, 5), COST)
    standing.said((7,))
    standing.watch((8, 9, 5), 0.0)
    standing.said((1,))
    standing.said((2,))
    assert not standing.is_good


def test_nothing_is_watched_across_answers_and_a_good_account_is_carried_over_in_part() -> None:
    standing = overdrawn()
    standing.watch((7, 8, 9), 1.0)
    standing.begin()
    standing.said((7, 8, 9, 5))
    assert not standing.is_good, "another answer does not mend it"
    rich = Standing()
    rich.verified(32, 2.0)
    rich.begin()
    rich.verified(1, 1.0 + MEMORY * CARRIED + 0.01)
    assert not rich.is_good


def test_the_account_has_bounds() -> None:
    rich, poor = Standing(), Standing()
    rich.verified(32, 1.0)
    rich.verified(0, MEMORY * MOST + 0.01)
    assert not rich.is_good
    poor.verified(1, 30.0)
    poor.verified(3, 3.0 + MEMORY * LEAST)
    assert poor.is_good


def wrong_until(position: int) -> Claims:
    """A lookup that is as sure as ever, and wrong up to there."""
    return lambda p: (0.9, p >= position)


def test_a_lookup_that_promises_too_much_is_verified_again_only_when_it_would_have_paid() -> None:
    world, experience = World(STEEP), Experience()
    policy = world.policy(experience)
    steps = world.run(policy, [Found(wrong_until(200))], 130)
    verified = [i for i, n in enumerate(widths(steps)) if n]
    bad = [i for i in verified if steps[i].tokens[0] < 200]
    assert len(bad) == 1, "one draft in vain is enough to be only watched"
    good = [i for i in verified if i not in bad]
    assert good, "and it is not given up"
    watched = [s for s in steps[: good[0]] if s.tokens[0] >= 200]
    assert 2 <= len(watched) <= 2 * 8, "a draft of eight had to come true first, and one was amiss"
    assert experience.of(LOOKUP).standing.is_good
