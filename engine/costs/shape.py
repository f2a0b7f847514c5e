"""What a batch of each width costs in one bucket of depth: as measured at load, and what steps
changed of that.

Such changes fade unless new steps confirm them. A busy machine only ever adds to a step, so a width
that twice turns out much quicker than known is believed, and then fewer rows cost no more. A stall
at load made a width too dear that would then never be tried, and widths between measured ones may
be better than those; so wide batches are hoped to be a little cheaper until steps have had them.
Of whole tiles more is hoped: that a row more costs no more than the rows of the first tile did.
Wide batches take so long that few are timed at load, and where all of them were stalled their price
is wrong by half; the first step that is quicker replaces it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

MOST_ROWS = 32
"""A draft of 31 and the token before it. Kernels compute in tiles of 8, 16 or 32 rows: one row more
would cost another tile."""
SHAPE_RATE = 1 / 24
"""The share by which its width's cost changes, at least; more while few steps were seen of it."""
QUICKER_RATE = 1 / 3
"""The share, at least, where a width is much quicker than known for the second time."""
GUESSED, MEASURED = 2, 24
"""Observations that a cost between measured ones counts as, and one that was measured."""
RELAXING = 1 / 256
"""The share of a width's change that fades with every step at other widths."""
SETTLING = 1 / 16
"""The share of a width's change that stays for good with every step at this width."""
QUICKER = 0.4
"""A logarithm: a step so far below what was expected shows a width much quicker than known."""
HOPE = 0.1
"""A logarithm: so much cheaper than known a wide batch may be that no step has had."""
WIDE = 17
"""The fewest rows of a wide batch: narrower ones are measured well in little time."""
TILE = 8
"""Wide batches that are as many tiles of so many rows are hoped for, and tried, as one."""
MOST_HOPED = 0.6
"""A logarithm: so much cheaper than known whole tiles may be that no step has had."""


class Shape:
    """Logarithms of seconds by width, from 1 on: as measured, and what steps changed of that."""

    def __init__(self, measured: list[float], seen: list[int]) -> None:
        """seen: [len(measured)], how many observations each is worth."""
        self._measured, self._seen = measured, seen
        self._changes = [0.0] * len(measured)
        self._steps = [0] * (1 + len(measured) // TILE)  # by tiles
        self._had: set[int] = set()  # widths that steps had
        self._quicker: set[int] = set()

    @staticmethod
    def through(seconds: Mapping[int, float], worth: Mapping[int, int]) -> Shape:
        """Interpolate what was measured. worth: observations, of those that are not worth all."""
        known = sorted(seconds)
        widths = range(1, MOST_ROWS + 1)
        logs = [math.log(_between(seconds, known, n)) for n in widths]
        seen = [worth.get(n, MEASURED) if n in seconds else GUESSED for n in widths]
        return Shape([0.0, *logs], [0, *seen])

    def log(self, n: int) -> float:
        """Return the logarithm of a width's seconds."""
        return self._measured[n] + self._changes[n]

    def logs(self) -> list[float]:
        """Return all, from width 1 on."""
        return [m + c for m, c in zip(self._measured[1:], self._changes[1:], strict=True)]

    def hoped(self) -> list[float]:
        """Return all, from width 1 on, as they may turn out."""
        logs = self.logs()
        for n in range(WIDE, len(logs) + 1):
            logs[n - 1] -= HOPE / (1 + self._steps[(n - 1) // TILE]) ** 2
        first, tile = math.exp(logs[0]), math.exp(logs[TILE - 1])
        for n in self._untried():
            line = tile + max(0.0, tile - first) * (n - TILE) / (TILE - 1)
            logs[n - 1] = min(logs[n - 1], max(self.log(n) - MOST_HOPED, math.log(line)))
        return logs

    def _untried(self) -> list[int]:
        """Return the widths of several whole tiles that no step has had."""
        return [n for n in range(2 * TILE, len(self._measured), TILE) if n not in self._had]

    def learn(self, n: int, surprise: float) -> None:
        """Take in by how much a step of width n was off."""
        if surprise < 0.0 and n in self._untried():
            self.shift(n, surprise)
            self._seen[n] = 0
            self._cap(n)
            surprise = 0.0
        self._had.add(n)
        changed = self._changes[n]
        self._changes = [change - RELAXING * change for change in self._changes]
        self._seen[n] += 1
        self._steps[(n - 1) // TILE] += 1
        rate = max(SHAPE_RATE, 1 / self._seen[n])
        is_quicker = surprise < -QUICKER and n in self._quicker
        (self._quicker.add if surprise < -QUICKER else self._quicker.discard)(n)
        changed += (max(rate, QUICKER_RATE) if is_quicker else rate) * surprise
        self._measured[n] += SETTLING * changed
        self._changes[n] = changed - SETTLING * changed
        if is_quicker:
            self._cap(n)

    def _cap(self, n: int) -> None:
        """Have fewer rows cost no more than these."""
        for fewer in range(1, n):
            self._measured[fewer] += min(0.0, self.log(n) - self.log(fewer))

    def shift(self, n: int, surprise: float) -> None:
        """Have a width cost so much more for good."""
        self._measured[n] += surprise

    def seen(self) -> dict[int, int]:
        """Return how many observations a width's cost is worth, of those that are not worth all."""
        return {n: seen for n, seen in enumerate(self._seen[1:], 1) if seen < MEASURED}

    def copy(self) -> Shape:
        """Return a copy, for another depth."""
        shape = Shape(list(self._measured), list(self._seen))
        shape._changes, shape._steps = list(self._changes), list(self._steps)
        shape._had = set(self._had)
        return shape


def _between(seconds: Mapping[int, float], known: Sequence[int], n: int) -> float:
    """Return the seconds at n: measured, on the line between its neighbours, or on that through the
    first and the last.
    """
    if n in seconds:
        return seconds[n]
    below = [k for k in known if k < n]
    above = [k for k in known if k > n]
    if not below:
        return seconds[above[0]]
    if not above:
        last = below[-1]
        slope = (seconds[last] - seconds[known[0]]) / max(1, last - known[0])
        return seconds[last] + max(0.0, slope) * (n - last)
    low, high = below[-1], above[0]
    share = (n - low) / (high - low)
    return (1.0 - share) * seconds[low] + share * seconds[high]
