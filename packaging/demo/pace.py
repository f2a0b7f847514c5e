"""How many threads a step may use on a machine that others use too.

Contract: `Pace.note` takes the seconds of each step, `Pace.threads` says how many threads the next
one gets. A thread that waits for a busy core holds up all the others, so where steps turn slow one
thread alone is faster; after a while all are tried again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BUSY = 2.2
STEPS_ALONE = 20
STEPS_SEEN = 3


@dataclass(slots=True)
class Pace:
    """Chooses between one thread and all of them by the time of the last few steps."""

    most: int
    threads: int = field(init=False)
    best_s: float = field(init=False, default=float("inf"))
    slow: int = field(init=False, default=0)
    alone: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.threads = self.most

    def note(self, step_s: float) -> None:
        """Learn from one step."""
        if self.threads == self.most:
            self.best_s = min(self.best_s, step_s)
            self.slow = self.slow + 1 if step_s > BUSY * self.best_s else 0
            if self.slow >= STEPS_SEEN and self.most > 1:
                self.threads, self.alone = 1, STEPS_ALONE
        else:
            self.alone -= 1
            if self.alone <= 0:
                self.threads, self.slow = self.most, STEPS_SEEN - 1
