"""What decoding costs on this machine: here, one plain step.

Begins with what the probe measured at load and follows the plain steps that answers really take,
since a machine that is busy now was perhaps idle then.
"""

from __future__ import annotations

import statistics
from collections import deque

REMEMBERED = 5


class PlainCost:
    """The median of the latest plain steps; of two in the middle, the cheaper one."""

    def __init__(self, step_s: float) -> None:
        """step_s: the first estimate."""
        self._latest = deque([step_s], maxlen=REMEMBERED)

    @property
    def step_s(self) -> float:
        """Seconds that one plain step takes."""
        return statistics.median_low(self._latest)

    def observe(self, step_s: float) -> None:
        """Take in a plain step that an answer took."""
        self._latest.append(step_s)
