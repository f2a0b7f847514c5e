"""How wide a batch is made where a device replays what it has recorded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS

NARROW = 3.16
ON_GPU = {1: NARROW, 2: 4.4, 3: 4.9, 4: 5.5, 8: 7.5, 9: 8.0, 16: 8.2, 17: 8.75, 24: 8.9, 32: 9.7}
"""Milliseconds of a large model on a GPU, whose batches of more than 8 rows go in tiles."""
ROWS = st.integers(2, MOST_ROWS)


def curves(returning_s: float = 2.5, settles: int = 2) -> CostCurves:
    return CostCurves(Measurement(ON_GPU, {}, 0.03, settles, returning_s))


@given(ROWS)
def test_where_nothing_is_replayed_a_batch_has_what_is_wanted(rows: int) -> None:
    assert curves(0.0, settles=1).width(rows, 0) == rows


@given(ROWS, st.floats(0.0, 20.0))
def test_a_batch_is_never_narrower_nor_dearer_than_replaying_saves(
    rows: int, returning_s: float
) -> None:
    known = curves(returning_s)
    width = known.width(rows, 0)
    assert rows <= width <= MOST_ROWS
    dearer_s = known.target_s(width, 0) - known.target_s(rows, 0)
    assert width == rows or dearer_s < returning_s / known.settles


@pytest.mark.parametrize(
    ("rows", "width"), [(10, 16), (16, 16), (18, 24), (24, 24), (29, 32), (32, 32), (99, 99)]
)
def test_a_wide_batch_is_rounded_up_to_whole_tiles(rows: int, width: int) -> None:
    assert curves().width(rows, 0) == width


def test_a_batch_whose_rows_cost_much_each_is_not() -> None:
    assert [curves().width(rows, 0) for rows in (2, 3, 5)] == [2, 3, 5]
