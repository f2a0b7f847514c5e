"""The fixed policy grants what it is told to, within what there is room for."""

from __future__ import annotations

import pytest

from engine.policy import FixedLength


@pytest.mark.parametrize(
    ("length", "room", "limit"), [(4, 100, 4), (4, 2, 2), (4, 0, 0), (0, 9, 0)]
)
def test_it_grants_its_length_or_what_there_is_room_for(length: int, room: int, limit: int) -> None:
    assert FixedLength(length).allow(room).limit == limit


def test_it_stops_behind_a_token_in_doubt() -> None:
    allowance = FixedLength(4, min_confidence=0.5).allow(9)
    assert allowance.go_on(0.5)
    assert not allowance.go_on(0.49)
    assert FixedLength(4, min_confidence=0.0).allow(9).go_on(0.0)
