"""What forwards cost on this machine: T(n) of the target and D(n) of the draft model.

T(n) is jagged, since kernels change with the batch's width: every n has a cost of its own, in every
bucket of context depth. Curves are measured at load (measuring.py) and refined by what steps take.
A machine gets slower and faster as a whole, by heat, load and clock, and all widths alike: this
pace follows every step at once. What the pace, while it is known, does not explain is credited to
that batch width, slowly (shape.py).

A step's surprise is the logarithm of its seconds over those that were expected.

Where every step drafts, nothing but the pace follows if drafts get dearer beside a plain step. So
plain steps among them are believed most of what they say, and a pace that has changed since the
last of them calls for others.

Pure: it sees widths, depths and seconds. Times of the target hold all of a step but drafting.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.costs.shape import MOST_ROWS, SHAPE_RATE, TILE, Shape

BUCKETS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Depths, in tokens, at which a bucket ends."""
PACE_RATE = 1 / 6
"""The share of a step's surprise by which the pace changes."""
CLIP = 0.5
"""A logarithm: larger surprises are stalls, and count as this one."""
ROUNDED = 0.3
"""The part of what replaying saves that a batch may cost more to be of whole tiles."""
IN_STEP = 0.2
"""A logarithm: the pace is known while surprises stay below."""
PLAIN_ALONE = 8
"""Plain steps in a row: from then on nothing tells T(1) from the pace, and it stays."""
SPREAD_RATE = 1 / 16
"""The share of a step's surprise by which the spread of late ones changes."""
SPREADS = 3.0
"""A plain step's surprise of fewer spreads is taken for noise rather than for a change."""
PLAIN_RATE = 0.6
"""The share of a plain step's surprise, among drafting ones, that changes T(1), if not noise."""
PLAIN_OFF = 0.15
"""A logarithm: a plain step with a larger surprise is off."""
TINY = 1e-9  # keeps nought over nought away


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds by batch width; noise: the relative spread of single measurements.

    settles: the target's (types.Decoder); returning_s: what plain decoding takes longer until then,
    behind a draft. seen: how many observations the target's seconds are worth, where these are few.
    """

    target_s: Mapping[int, float]
    draft_s: Mapping[int, float]
    noise: float = 0.05
    settles: int = 1
    returning_s: float = 0.0
    seen: Mapping[int, int] = field(default_factory=dict)

    def at_pace(self, pace: float) -> Measurement:
        """Return the same on a machine on which everything takes `pace` times as long."""
        return replace(
            self,
            target_s={n: pace * s for n, s in self.target_s.items()},
            draft_s={n: pace * s for n, s in self.draft_s.items()},
            returning_s=pace * self.returning_s,
        )


class CostCurves:
    """The cost curves of one pair. has_draft: whether there is a draft model's.

    settles: as `Measurement` has it; returning: what returning to plain decoding costs, over T(1).
    """

    def __init__(self, measured: Measurement) -> None:
        self.noise = measured.noise
        self.has_draft = bool(measured.draft_s)
        self.settles = measured.settles
        self._shapes = {0: Shape.through(measured.target_s, measured.seen)}
        self._draft = Shape.through(measured.draft_s or {1: 1.0}, {}).logs()
        self._pace = self._pace_when_plain = 0.0
        self._spread = measured.noise  # of late surprises
        self._is_in_step, self._n_plain = True, 0  # plain steps in a row
        self._relative: dict[int, list[float]] = {}
        self.returning = measured.returning_s / self.target_s(1, 0)

    def target_s(self, rows: int, depth: int) -> float:
        """Return the seconds of a step that verifies rows - 1 tokens, without drafting them."""
        return math.exp(self._pace + self._shape(depth).log(rows))

    def draft_s(self, n: int) -> float:
        """Return the seconds of one forward of n tokens in the draft model; inf without one."""
        return math.exp(self._pace) * self._draft_forward(n) if self.has_draft else math.inf

    def relative(self, depth: int) -> list[float]:
        """Return T(n + 1) / T(1) for drafts of n = 0 … MOST_ROWS - 1 tokens, as it is hoped."""
        bucket = bucket_of(depth)
        found = self._relative.get(bucket)
        if found is None:
            logs = self._shape(depth).hoped()
            found = [math.exp(log - logs[0]) for log in logs]
            self._relative[bucket] = found
        return found

    def draft_relative(self, n: int, depth: int) -> float:
        """Return the cost of one forward of n tokens in the draft model over T(1)."""
        if not self.has_draft:
            return math.inf
        return self._draft_forward(n) * math.exp(-self._shape(depth).log(1))

    def width(self, rows: int, depth: int) -> int:
        """Return how many rows to evaluate where so many are wanted.

        A device that replays what it has recorded does so only while widths stay. So they are
        rounded up to whole tiles, where that costs little beside what replaying saves.
        """
        saved_s = self.target_s(1, depth) * self.returning / self.settles
        if saved_s <= 0.0 or rows >= MOST_ROWS:
            return rows
        whole = -(-rows // TILE) * TILE
        more_s = self.target_s(whole, depth) - self.target_s(rows, depth)
        return whole if more_s < ROUNDED * saved_s else rows

    def observe_target(self, rows: int, depth: int, seconds: float) -> None:
        """Take in what a step took, without its drafting."""
        if not 1 <= rows <= MOST_ROWS or seconds <= 0.0:
            return
        shape = self._shape(depth)
        surprise = math.log(seconds) - self._pace - shape.log(rows)
        self._n_plain = self._n_plain + 1 if rows == 1 else 0
        if self._is_in_step:
            shape.learn(rows, 0.0 if self._n_plain > PLAIN_ALONE else min(surprise, CLIP))
            self._relative.pop(bucket_of(depth), None)
        self._is_in_step = abs(surprise) < IN_STEP
        self._spread += SPREAD_RATE * (min(IN_STEP, abs(surprise)) - self._spread)
        self._pace += PACE_RATE * max(-CLIP, min(CLIP, surprise))
        if rows == 1:
            self._pace_when_plain = self._pace

    @property
    def drift(self) -> float:
        """How far the pace, a logarithm, has moved since a plain step: T(1) may not have."""
        return abs(self._pace - self._pace_when_plain)

    def compare_plain(self, depth: int, seconds: float) -> bool:
        """Take in what a plain step took among many that drafted, by which the pace is known.

        Returns whether that is off what it should take.
        """
        if seconds <= 0.0:
            return False
        shape, noise = self._shape(depth), SPREADS * self._spread
        surprise = max(-CLIP, min(CLIP, math.log(seconds) - self._pace - shape.log(1)))
        weight = surprise**2 / (surprise**2 + noise**2 + TINY)
        shape.shift(1, PLAIN_RATE * weight * surprise)
        self._relative.pop(bucket_of(depth), None)
        self._pace_when_plain = self._pace
        return abs(surprise) > max(PLAIN_OFF, noise)

    def observe_draft(self, expected_s: float, seconds: float) -> None:
        """Take in what drafting took that these curves expected to take `expected_s`."""
        if expected_s <= 0.0 or seconds <= 0.0 or not math.isfinite(expected_s):
            return
        surprise = max(-CLIP, min(CLIP, math.log(seconds / expected_s)))
        self._draft = [log + SHAPE_RATE * surprise for log in self._draft]

    def measured(self) -> Measurement:
        """Return what is known of shallow contexts now, at the pace of now."""
        rows = range(1, MOST_ROWS + 1)
        draft = {n: self.draft_s(n) for n in rows} if self.has_draft else {}
        target = {n: self.target_s(n, 0) for n in rows}
        returning_s, seen = self.returning * target[1], self._shape(0).seen()
        return Measurement(target, draft, self.noise, self.settles, returning_s, seen)

    def _draft_forward(self, n: int) -> float:
        """Return the draft model's seconds at pace 0; beyond what was measured, on the line through
        the first and the last.
        """
        if n <= MOST_ROWS:
            return math.exp(self._draft[n - 1])
        first, last = math.exp(self._draft[0]), math.exp(self._draft[-1])
        return last + max(0.0, last - first) * (n - MOST_ROWS) / (MOST_ROWS - 1)

    def _shape(self, depth: int) -> Shape:
        bucket = bucket_of(depth)
        found = self._shapes.get(bucket)
        if found is None:
            nearest = min(self._shapes, key=lambda known: abs(known - bucket))
            found = self._shapes[bucket] = self._shapes[nearest].copy()
        return found


def bucket_of(depth: int) -> int:
    """Return the number of the depth bucket."""
    return bisect_right(BUCKETS, depth)
