"""Plots of characters: a line of bars, and curves on a grid (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LEVELS = "▁▂▃▄▅▆▇█"
LABEL_COLUMNS = 7
FEWEST_COLUMNS = 20
"""A curve in fewer shows nothing; a terminal so narrow wraps it."""
LABELLED_ROWS = 3


def bar_line(values: Sequence[float]) -> str:
    """Draw each value, 0 to 1, as one bar."""
    steps = len(LEVELS)
    return "".join(LEVELS[min(steps - 1, max(0, int(value * steps)))] for value in values)


def curves(series: Mapping[str, Sequence[float]], columns: int, rows: int) -> list[str]:
    """Draw values over 1, 2, 3, …: one curve per mark, the vertical axis from 0 to the largest.

    Where curves meet the first one's mark stands. Values that the columns have no room for are
    left out.
    """
    longest = max((len(values) for values in series.values()), default=0)
    if not longest:
        return []
    room = max(FEWEST_COLUMNS, columns) - LABEL_COLUMNS
    pitch = max(1, min(2, room // longest))
    n_shown = min(longest, room // pitch)
    top = max(max(values[:n_shown]) for values in series.values() if values)
    grid = [[" "] * (n_shown * pitch) for _ in range(rows)]
    for mark, values in reversed(list(series.items())):
        for i, value in enumerate(values[:n_shown]):
            height = round(max(0.0, value) / top * (rows - 1)) if top > 0 else 0
            grid[rows - 1 - height][i * pitch] = mark
    lines = [_label(top, row, rows) + "".join(cells).rstrip() for row, cells in enumerate(grid)]
    return [
        *lines,
        " " * (LABEL_COLUMNS - 1) + "└" + "─" * (n_shown * pitch),
        _axis(n_shown, pitch),
    ]


def _label(top: float, row: int, rows: int) -> str:
    """Write the value of a row of the grid, of some rows only."""
    value = top * (rows - 1 - row) / (rows - 1)
    is_labelled = row % LABELLED_ROWS == 0 or row == rows - 1
    return f"{value:>{LABEL_COLUMNS - 2}.1f} ┤" if is_labelled else " " * (LABEL_COLUMNS - 1) + "│"


def _axis(n_shown: int, pitch: int) -> str:
    """Write some of the numbers under the axis."""
    line = [" "] * (LABEL_COLUMNS + n_shown * pitch + 2)
    for n in (1, *range(8, n_shown + 1, 8)):
        start = LABEL_COLUMNS + (n - 1) * pitch
        line[start : start + len(str(n))] = str(n)
    return "".join(line).rstrip()
