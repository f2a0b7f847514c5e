"""What decoding costs on this machine: here, one plain step.

Begins with what the probe measured at load and follows the plain steps that answers really take.
"""

from __future__ import annotations

WEIGHT = 0.1


class PlainCost:
    """A running estimate of the seconds that one plain step takes."""

    def __init__(self, step_s: float) -> None:
        """step_s: the first estimate."""
        self.step_s = step_s

    def observe(self, step_s: float) -> None:
        """Follow a plain step that an answer took; one outlier moves the estimate little."""
        self.step_s += WEIGHT * (min(step_s, 3 * self.step_s) - self.step_s)
