"""How an answer's speed and acceptance went over its life, in bounded memory.

Only cumulative counts are kept, so that leaving points out keeps every rate exact: when there are
too many, every second one goes, and from then on each covers twice the time. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.bench.plots import bar_line

MOST = 18
"""Most stretches."""
GAP_S = 0.3
EPSILON = 1e-6
ROUND = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Point:
    """What was counted at one moment since the answer began. at_s: by any clock that only grows."""

    at_s: float
    tokens: int
    tested: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Pace:
    """The points of one answer, oldest first; only the newest may be nearer than gap_s."""

    points: tuple[Point, ...] = ()
    gap_s: float = GAP_S

    def plus(self, point: Point) -> Pace:
        """Return the pace with the counts of a later moment."""
        kept = self.points
        if len(kept) > 1 and not self._is_whole(kept[-2], kept[-1]):
            kept = kept[:-1]
        points = (*kept, point)
        if len(points) <= MOST + 1:
            return Pace(points, self.gap_s)
        halved = points[::2] if len(points) % 2 else (*points[::2], points[-1])
        return Pace(halved, 2 * self.gap_s)

    @property
    def rates(self) -> list[float]:
        """Tokens per second in each stretch of the answer; the one not yet over is left out."""
        return [(b.tokens - a.tokens) / (b.at_s - a.at_s) for a, b in self._stretches()]

    @property
    def acceptances(self) -> list[float | None]:
        """Accepted of the tested tokens in each stretch; None where none was tested."""
        tests = [(b.accepted - a.accepted, b.tested - a.tested) for a, b in self._stretches()]
        return [accepted / tested if tested else None for accepted, tested in tests]

    def _stretches(self) -> Iterable[tuple[Point, Point]]:
        return (pair for pair in pairwise(self.points) if self._is_whole(*pair))

    def _is_whole(self, a: Point, b: Point) -> bool:
        return b.at_s - a.at_s >= self.gap_s * (1 - EPSILON)


NO_PACE = Pace()


def sparkline(values: Sequence[float | None], top: float) -> str:
    """Draw each value, 0 to `top`, as one bar; nothing for None."""
    return "".join(
        " " if value is None else bar_line([value / top if top > 0 else 0.0]) for value in values
    )


def ceiling(values: Iterable[float]) -> float:
    """Return a round number that no value exceeds by much, so that a scale seldom changes."""
    most = max(values, default=0.0) * (1 - EPSILON)
    if most <= 0:
        return 1.0
    unit = 1.0
    while unit * 10 < most:
        unit *= 10
    while unit >= most:
        unit /= 10
    return next((unit * factor for factor in ROUND if unit * factor >= most), most)
