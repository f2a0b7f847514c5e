"""The likeliest tokens of a long row, found without sorting it or looking at each of them.

A row is wrapped into columns; their largest logits, few and quickly found, show which of them to
look into.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from engine.arrays import Floats, Ids, Row

COLUMNS = 2048
SAFE = 60.0
"""Logits of this size can be exponentiated in float32 as they are."""


def mass(row: Row) -> float:
    """Return the sum of exp(row - its largest)."""
    top = largest(row)
    if abs(top) < SAFE:
        return float(np.exp(row).sum()) * math.exp(-top)
    return float(np.exp(row - top).sum())


def column_maxima(row: Row | Floats) -> Row | Floats:
    """Wrap the row into COLUMNS columns and return the largest logit of each: [COLUMNS].

    Columns that the row does not reach have -inf.
    """
    n_whole = len(row) // COLUMNS * COLUMNS
    if n_whole:
        maxima: Row = np.maximum.reduce(row[:n_whole].reshape(-1, COLUMNS))
    else:
        maxima = np.full(COLUMNS, -np.inf, dtype=np.float32)
    rest = row[n_whole:]
    np.maximum(maxima[: len(rest)], rest, out=maxima[: len(rest)])
    return maxima


def in_columns(columns: Ids, n_vocab: int) -> Ids:
    """Return the ids that lie in these columns, both ascending."""
    ids: Ids = (_first_column(-(-n_vocab // COLUMNS)) + columns).ravel()
    return ids if ids[-1] < n_vocab else ids[ids < n_vocab]


@cache
def _first_column(n_rows: int) -> Ids:
    """Return the ids in it: [n_rows, 1]."""
    return np.arange(n_rows)[:, None] * COLUMNS


def at_least(row: Row | Floats, n: int, loosened: float = 0.0) -> Ids:
    """Return the ids, ascending, of all logits that reach the n-th largest less `loosened`, and
    rarely of many others.

    The n-th largest of the columns' maxima is a logit that at least n others reach.
    """
    if 2 * n > COLUMNS or len(row) <= COLUMNS:
        return _from_on(row, _nth_largest(row, n) - loosened)
    maxima = column_maxima(row)
    return reaching(row, _nth_largest(maxima, n) - loosened, maxima)


def reaching(row: Row | Floats, least: float, maxima: Row | Floats | None = None) -> Ids:
    """Return the ascending ids of all logits of at least `least`."""
    if len(row) <= COLUMNS:
        return _from_on(row, least)
    columns = _from_on(column_maxima(row) if maxima is None else maxima, least)
    if len(columns) > COLUMNS // 8:  # so many that looking at the whole row is quicker
        return _from_on(row, least)
    ids = in_columns(columns, len(row))
    return ids[row[ids] >= least]


def largest(row: Row) -> float:
    """Return the largest; twice as quick as max(), which detours through Python."""
    return row.item(row.argmax())


def _nth_largest(values: Row | Floats, n: int) -> float:
    """Return the n-th largest."""
    ordered = values.copy()
    ordered.partition(len(values) - n)
    return float(ordered[-n])


def _from_on(values: Row | Floats, least: float) -> Ids:
    """Return the ascending indices of all that are as large."""
    return (values >= np.float64(least)).nonzero()[0]
