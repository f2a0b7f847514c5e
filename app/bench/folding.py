"""A table that goes on below itself where the terminal is too narrow for all of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table

PLENTY = 1000
SEPARATOR = 1
"""Characters between two columns, beside their padding."""


class Folding:
    """Shows a table in pieces that are no wider than there is room, each with the first column.

    Words are broken only where there is less room than for the first column and one beside it.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        ranges = [self._measured(console, column) for column in self._table.columns]
        for number, places in enumerate(_groups(ranges, options.max_width)):
            yield from ("", self._piece(places, ranges, options.max_width))[number == 0 :]

    def _measured(self, console: Console, column: Column) -> Measurement:
        """Return how wide it is without a broken word, and in one line."""
        return Measurement.get(
            console, console.options.update(max_width=PLENTY), self._with([column])
        )

    def _piece(self, places: Sequence[int], ranges: Sequence[Measurement], room: int) -> Table:
        columns = [copy(self._table.columns[place]) for place in places]
        widths = _widths([ranges[place] for place in places], room)
        _, right, _, left = self._table.padding
        for column, width in zip(columns, widths, strict=False):
            column.width = width - left - right
        return self._with(columns)

    def _with(self, columns: list[Column]) -> Table:
        piece = copy(self._table)
        piece.columns = columns
        return piece


def _groups(ranges: Sequence[Measurement], room: int) -> Iterator[list[int]]:
    """Yield the columns of each piece: as many as fit, and no fewer than two."""
    group = [0]
    for place in range(1, len(ranges)):
        if len(group) > 1 and _least([ranges[i] for i in (*group, place)]) > room:
            yield group
            group = [0]
        group.append(place)
    yield group


def _widths(ranges: Sequence[Measurement], room: int) -> list[int]:
    """Return the columns' widths: where room lacks, the widest that can gives. [] if none can."""
    if _least(ranges) > room:
        return []
    widths = [own.maximum for own in ranges]
    while sum(widths) + SEPARATOR * (len(widths) - 1) > room:
        able = [place for place, own in enumerate(ranges) if widths[place] > own.minimum]
        widths[max(able, key=widths.__getitem__)] -= 1
    return widths


def _least(ranges: Sequence[Measurement]) -> int:
    return sum(own.minimum for own in ranges) + SEPARATOR * (len(ranges) - 1)
