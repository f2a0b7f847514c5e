"""What steps cost on this machine: a plain one, and one of each draft length.

The least of several times is taken, since a busy machine only ever adds to them, now to this step
and now to that one: what remains is the cost of the work itself.
"""

from __future__ import annotations

from collections import deque

REMEMBERED = 5


class PlainCost:
    """What one plain step costs: the least of the latest few, the first being the probe's."""

    def __init__(self, probed_s: float) -> None:
        self._latest = deque([probed_s], maxlen=REMEMBERED)

    @property
    def step_s(self) -> float:
        """Seconds that one plain step takes."""
        return min(self._latest)

    def observe(self, step_s: float) -> None:
        """Take in a plain step that an answer took."""
        self._latest.append(step_s)


class StepCosts:
    """What the steps of one answer cost, by draft length."""

    def __init__(self) -> None:
        self._steps: dict[int, int] = {}
        self._least_s: dict[int, float] = {}

    @property
    def total_s(self) -> float:
        """Seconds that all steps would have taken, had each cost the least seen of its length."""
        return sum(n * self._least_s[length] for length, n in self._steps.items())

    def observe(self, draft_length: int, step_s: float) -> None:
        """Take in a step."""
        self._steps[draft_length] = self._steps.get(draft_length, 0) + 1
        self._least_s[draft_length] = min(self._least_s.get(draft_length, step_s), step_s)
