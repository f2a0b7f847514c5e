"""The fixed policy grants what it is told to, within what there is room for."""

from __future__ import annotations

import pytest

from engine.policy import PLAIN_EVERY, PLAIN_STEPS, FixedLength, Measured
from engine.types import NO_DRAFT, Step


@pytest.mark.parametrize(
    ("length", "room", "limit"), [(4, 100, 4), (4, 2, 2), (4, 0, 0), (0, 9, 0)]
)
def test_it_grants_its_length_or_what_there_is_room_for(length: int, room: int, limit: int) -> None:
    assert FixedLength(length).allow(room).limit == limit


def test_it_stops_behind_a_token_in_doubt() -> None:
    allowance = FixedLength(4, min_confidence=0.5).allow(9)
    assert allowance.go_on(0.5)
    assert not allowance.go_on(0.49)
    assert FixedLength(4).allow(9).go_on(0.0)


def test_now_and_then_a_step_is_plain_so_that_the_gain_is_measured() -> None:
    policy = Measured(FixedLength(4))
    limits = []
    for _ in range(2 * PLAIN_EVERY):
        limits.append(policy.allow(100).limit)
        policy.observe(Step(NO_DRAFT, (1,), 0, 0, (), 0.0, 0.0))
    plain = [i for i, limit in enumerate(limits) if limit == 0]
    assert plain == [*PLAIN_STEPS, *(PLAIN_EVERY + n for n in PLAIN_STEPS)]
    assert set(limits) == {0, 4}
