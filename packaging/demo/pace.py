"""How many threads a step may use on a machine that others use too.

Contract: `Pace.note` takes the seconds of each step, `Pace.threads` says how many threads the next
one gets. A thread that waits for a busy core holds up all the others, so on a busy machine one
thread alone is faster: both ways are tried in turn, and the faster one is kept for a while.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TRIAL = 3
KEPT = 30


@dataclass(slots=True)
class Pace:
    """Chooses between all threads and a single one by the time of the last few steps."""

    most: int
    threads: int = field(init=False)
    steps: int = field(init=False, default=0)
    spent_s: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.threads = self.most

    def note(self, step_s: float) -> None:
        """Learn from one step: trials of both ways, then the faster one, then trials again."""
        self.spent_s[self.threads] = self.spent_s.get(self.threads, 0.0) + step_s
        self.steps += 1
        if self.steps == TRIAL:
            self.threads = 1
        elif self.steps == 2 * TRIAL:
            self.threads = min(self.spent_s, key=self.spent_s.__getitem__)
        elif self.steps >= 2 * TRIAL + KEPT:
            self.threads, self.steps, self.spent_s = self.most, 0, {}
