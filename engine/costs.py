"""What steps cost on this machine: a plain one, and one of each draft length.

The lower quartile of the latest times is taken: a busy machine only ever adds to a step, and it
adds to a long step more often than to a short one, so that means and medians would favour plain
steps; the least of many times, compared with the least of few, would favour the others.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

REMEMBERED = 32


def typical(times_s: Iterable[float]) -> float:
    """Return the lower quartile."""
    ordered = sorted(times_s)
    return ordered[(len(ordered) - 1) // 4]


class PlainCost:
    """What one plain step costs: at first from the probe's times, then from those of answers."""

    def __init__(self, probed_s: Iterable[float]) -> None:
        self._latest = deque(probed_s, maxlen=REMEMBERED)

    @property
    def step_s(self) -> float:
        """Seconds that one plain step takes."""
        return typical(self._latest)

    def observe(self, step_s: float) -> None:
        """Take in a plain step that an answer took."""
        self._latest.append(step_s)


class StepCosts:
    """What the steps of one answer cost, by draft length."""

    def __init__(self) -> None:
        self._steps: dict[int, int] = defaultdict(int)
        self._latest: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=REMEMBERED))

    @property
    def total_s(self) -> float:
        """Seconds that all steps would have taken, had each cost what is typical of its length."""
        return sum(n * typical(self._latest[length]) for length, n in self._steps.items())

    def observe(self, draft_length: int, step_s: float) -> None:
        """Take in a step."""
        self._steps[draft_length] += 1
        self._latest[draft_length].append(step_s)
