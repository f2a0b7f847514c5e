"""A drafter stakes no more than its drafts brought; what it cannot stake on is only watched."""

from __future__ import annotations

import pytest

from engine.costs.shape import MOST_ROWS
from engine.policy.experience import Experience
from engine.policy.purse import BEGINNING, MOST, Purse
from engine.types import Draft
from tests.engine.fakes import step
from tests.engine.simulated import (
    FLAT,
    LOOKUP,
    MODEL,
    STEEP,
    Claims,
    Found,
    World,
    always,
    budget,
    warmed,
    widths,
)

DRAFT = (7, 8, 9)
DEAR = {n: 1.0 if n == 1 else 1.5 + BEGINNING + 0.01 * n for n in range(1, MOST_ROWS + 1)}
"""A machine where any draft is more than an answer begins with."""


def empty() -> Purse:
    purse = Purse()
    purse.verified(1, 1.0 + BEGINNING)
    return purse


def test_no_more_can_be_lost_than_is_in_the_purse() -> None:
    purse = Purse()
    assert purse.affords(1.0 + BEGINNING) and not purse.affords(1.1 + BEGINNING)
    purse.verified(1, 2.0)
    assert purse.affords(BEGINNING) and not purse.affords(0.1 + BEGINNING)
    purse.verified(5, 2.0)
    assert purse.affords(3.0 + BEGINNING) and not purse.affords(3.1 + BEGINNING)


def test_it_is_never_in_debt_nor_holds_more_than_some() -> None:
    purse = Purse()
    purse.verified(1, 30.0)
    assert purse.affords(1.0) and not purse.affords(1.1)
    for _ in range(9):
        purse.verified(32, 5.0)
    assert purse.affords(1.0 + MOST) and not purse.affords(1.1 + MOST)


@pytest.mark.parametrize(
    "blocks", [((*DRAFT, 5),), ((7,), (8, 9), (5,)), (DRAFT, (5, 6))], ids=["one", "many", "two"]
)
def test_a_watched_draft_that_was_right_fills_it_in_whatever_blocks_it_was_said(
    blocks: tuple[tuple[int, ...], ...],
) -> None:
    purse = empty()
    purse.watch(DRAFT, 2.5)
    for said in blocks[:-1]:
        purse.said(said)
        assert not purse.affords(1.1), "the token behind the draft is part of what it brings"
    purse.said(blocks[-1])
    assert purse.affords(2.5) and not purse.affords(2.6)


def test_what_is_right_behind_a_difference_counts_for_nothing() -> None:
    purse = empty()
    purse.watch((7, 1, 9, 5, 6), 2.0)
    purse.said((7, 8, 9, 5, 6, 4))
    assert not purse.affords(1.1)


def test_of_two_that_overlap_only_the_first_is_watched() -> None:
    purse = empty()
    purse.watch((7, 8, 9, 5), 4.0)
    purse.said((7,))
    purse.watch((8, 9, 5), 0.0)
    purse.said((1,))
    purse.said((2,))
    assert not purse.affords(1.1)


def test_another_answer_begins_with_little_and_watches_nothing() -> None:
    rich, poor = Purse(), empty()
    rich.verified(32, 5.0)
    rich.begin()
    assert rich.affords(1.0 + BEGINNING) and not rich.affords(1.1 + BEGINNING)
    poor.watch(DRAFT, 1.0)
    poor.begin()
    poor.said((*DRAFT, 5))
    assert not poor.affords(1.1)


def wrong_until(position: int) -> Claims:
    """A lookup that is as sure as ever, and wrong up to there."""
    return lambda p: (0.9, p >= position)


def test_a_lookup_that_promises_too_much_is_verified_only_once_that_would_have_paid() -> None:
    world = World(DEAR)
    steps = world.run(world.policy(), [Found(wrong_until(104))], 130)
    verified = [i for i, n in enumerate(widths(steps)) if n]
    assert not [i for i in verified if steps[i].tokens[0] < 104]
    assert verified, "and it is not given up"
    watched = [s for s in steps[: verified[0]] if s.tokens[0] >= 104]
    assert 9 <= len(watched) <= 3 * 8, "a draft of eight came true first, and the token behind it"


def test_a_draft_does_not_grow_beyond_what_the_purse_affords() -> None:
    world, experience = World(STEEP), Experience()
    for _ in range(20):
        experience.of(LOOKUP).trust.learn(0.95, hit=True)
    steps = world.run(world.policy(experience), [Found(always(0.95, True), n=4)], 40)
    first, last = next(n for n in widths(steps) if n), widths(steps)[-1]
    assert STEEP[first + 1] - 1.0 <= BEGINNING < STEEP[last + 1] - 1.0, "later there is more in it"


def test_what_a_model_reads_in_the_same_step_is_not_paid_from_a_lookups_purse() -> None:
    draft, experience = Draft((0, 1), LOOKUP, (0.9, 0.9)), Experience()
    policy = warmed(World(FLAT, draft_s=0.5), experience)
    allowance = budget(policy)
    allowance.take(MODEL, (), 20 * MOST_ROWS)
    assert allowance.drafting > BEGINNING
    allowance.note(LOOKUP, draft.tokens, draft.confidences)
    allowance.take(LOOKUP, draft.confidences)
    policy.observe(step((0, 1, 2), draft, step_s=20.0, draft_s=18.0))
    assert experience.of(LOOKUP).purse.affords(1.0 + BEGINNING)


def test_a_model_that_reads_before_it_drafts_is_charged_for_its_draft_alone() -> None:
    allowance = budget(warmed(World(FLAT, draft_s=0.5), Experience()))
    allowance.take(MODEL, (), 20 * MOST_ROWS)
    allowance.take(MODEL, (0.9,), 4)
    drafted = budget(warmed(World(FLAT, draft_s=0.5), Experience()))
    drafted.take(MODEL, (0.9,), 1)
    assert allowance.drafting_alone == pytest.approx(drafted.drafting_alone)
    assert allowance.drafting > drafted.drafting
