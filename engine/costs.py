"""What forwards cost on this machine: T(n) of the target and D(n) of the draft model.

T(n) is jagged, since kernels change with the batch's width: every n has a cost of its own, in every
bucket of context depth. Curves are measured at load (measuring.py) and refined by what steps take.
A machine gets slower and faster as a whole, by heat, load and clock; so a step's surprise is split
between the pace of the machine and the shape of the curve, each by how uncertain it is: a Kalman
filter over logarithms. Where steps keep surprising, what was known is doubted and learnt anew. A
busy machine only ever adds to a step: one that is much faster than known is believed at once, and
so is that fewer rows cost no more.

Pure: it sees widths, depths and seconds. Times of the target hold all of a step but drafting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_ROWS = 33
"""A draft of 32 and the token before it."""
BUCKETS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Depths, in tokens, at which a bucket ends."""
MEASURED_DOUBT, GUESSED_DOUBT, LOST_DOUBT = 0.1**2, 0.25**2, 0.4**2
"""Variance of a logarithm: of a cost that was measured, one between measured ones, and any once the
machine behaves otherwise."""
STEP_NOISE = 0.1**2
PACE_DRIFT, SHAPE_DRIFT = 0.01**2, 0.001**2
"""How much variance a step adds: the pace changes with the minute, the shape hardly ever."""
CLIP = 3.0
"""Standard deviations beyond which a surprise is a stall of the machine."""
SURPRISED = 5.0
FASTER = 0.4
"""A logarithm that a step must be faster than known by to be believed at once."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds by batch width; noise: the relative spread of single measurements."""

    target_s: Mapping[int, float]
    draft_s: Mapping[int, float]
    noise: float = 0.05


class _Shape:
    """Logarithms of seconds by width, 1 to len(doubts) - 1, with their variances."""

    def __init__(self, logs: list[float], doubts: list[float]) -> None:
        self.logs, self.doubts = logs, doubts

    @staticmethod
    def through(seconds: Mapping[int, float], most: int) -> _Shape:
        """Interpolate what was measured; beyond it costs grow with the width."""
        known = sorted(seconds)
        logs, doubts = [0.0], [0.0]
        for n in range(1, most + 1):
            logs.append(math.log(_between(seconds, known, n)))
            doubts.append(MEASURED_DOUBT if n in seconds else GUESSED_DOUBT)
        return _Shape(logs, doubts)

    def lower(self, rows: int, log: float) -> None:
        """Take in that so many rows cost far less, and that fewer cost no more."""
        for n in range(1, rows + 1):
            if self.logs[n] > log:
                self.logs[n], self.doubts[n] = log, GUESSED_DOUBT

    def copy(self) -> _Shape:
        """Return a copy that is less certain: of another depth."""
        return _Shape(list(self.logs), [max(doubt, GUESSED_DOUBT) for doubt in self.doubts])


class CostCurves:
    """The cost curves of one pair. has_draft: whether there is a draft model's."""

    def __init__(self, measured: Measurement) -> None:
        self.noise = measured.noise
        self.has_draft = bool(measured.draft_s)
        self._shapes = {0: _Shape.through(measured.target_s, MOST_ROWS)}
        self._draft = _Shape.through(measured.draft_s or {1: 1.0}, MOST_ROWS)
        self._draft_doubt = MEASURED_DOUBT
        self._pace, self._pace_doubt = 0.0, MEASURED_DOUBT
        self._surprise = 1.0
        self._relative: dict[int, list[float]] = {}

    def target_s(self, rows: int, depth: int) -> float:
        """Return the seconds of a step that verifies rows - 1 tokens, without drafting them."""
        return math.exp(self._pace + self._shape(depth).logs[rows])

    def draft_s(self, n: int) -> float:
        """Return the seconds of one forward of n tokens in the draft model; inf without one."""
        if not self.has_draft:
            return math.inf
        return math.exp(self._pace + self._draft.logs[min(n, MOST_ROWS)])

    def relative(self, depth: int) -> list[float]:
        """Return T(n + 1) / T(1) for drafts of n = 0 … MOST_ROWS - 1 tokens."""
        bucket = bucket_of(depth)
        found = self._relative.get(bucket)
        if found is None:
            logs = self._shape(depth).logs
            first = logs[1]
            found = [math.exp(log - first) for log in logs[1:]]
            self._relative[bucket] = found
        return found

    def draft_relative(self, n: int, depth: int) -> float:
        """Return the cost of one forward of n tokens in the draft model over T(1)."""
        if not self.has_draft:
            return math.inf
        return math.exp(self._draft.logs[min(n, MOST_ROWS)] - self._shape(depth).logs[1])

    def observe_target(self, rows: int, depth: int, seconds: float) -> None:
        """Take in what a step took, without its drafting."""
        if not 1 <= rows <= MOST_ROWS or seconds <= 0.0:
            return
        shape = self._shape(depth)
        if math.log(seconds) - self._pace < shape.logs[rows] - FASTER:
            shape.lower(rows, math.log(seconds) - self._pace)
        surprise, gain = self._split(shape.logs[rows], shape.doubts[rows], seconds)
        shape.logs[rows] += gain * surprise
        shape.doubts[rows] = (1.0 - gain) * shape.doubts[rows] + SHAPE_DRIFT
        self._relative.pop(bucket_of(depth), None)

    def observe_draft(self, expected_s: float, seconds: float) -> None:
        """Take in what drafting took that these curves expected to take `expected_s`."""
        if expected_s <= 0.0 or seconds <= 0.0 or not math.isfinite(expected_s):
            return
        log = math.log(expected_s) - self._pace
        surprise, gain = self._split(log, self._draft_doubt, seconds)
        self._draft.logs = [known + gain * surprise for known in self._draft.logs]
        self._draft_doubt = (1.0 - gain) * self._draft_doubt + SHAPE_DRIFT

    def measured(self) -> Measurement:
        """Return what is known of shallow contexts now, at the pace of now."""
        rows = range(1, MOST_ROWS + 1)
        draft = {n: self.draft_s(n) for n in rows} if self.has_draft else {}
        return Measurement({n: self.target_s(n, 0) for n in rows}, draft, self.noise)

    def _shape(self, depth: int) -> _Shape:
        bucket = bucket_of(depth)
        found = self._shapes.get(bucket)
        if found is None:
            nearest = min(self._shapes, key=lambda known: abs(known - bucket))
            found = self._shapes[bucket] = self._shapes[nearest].copy()
        return found

    def _split(self, log: float, doubt: float, seconds: float) -> tuple[float, float]:
        """Move the pace by its share of a surprise; return the surprise and the shape's share."""
        self._pace_doubt += PACE_DRIFT
        total = doubt + self._pace_doubt + STEP_NOISE
        surprise = math.log(seconds) - log - self._pace
        size = surprise * surprise / total
        self._surprise += 0.05 * (min(size, CLIP**2) - self._surprise)
        limit = CLIP * math.sqrt(total)
        surprise = max(-limit, min(limit, surprise))
        share = self._pace_doubt / total
        self._pace += share * surprise
        self._pace_doubt *= 1.0 - share
        if self._surprise > SURPRISED:
            self._doubt_all()
        return surprise, doubt / total

    def _doubt_all(self) -> None:
        """The machine behaves otherwise: what was measured says little now."""
        self._surprise = 1.0
        self._pace_doubt = self._draft_doubt = LOST_DOUBT
        for shape in self._shapes.values():
            shape.doubts = [LOST_DOUBT] * len(shape.doubts)


def bucket_of(depth: int) -> int:
    """Return the number of the depth bucket."""
    for number, end in enumerate(BUCKETS):
        if depth < end:
            return number
    return len(BUCKETS)


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
