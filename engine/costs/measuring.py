"""Measures what forwards cost: rounds over batch widths, interleaved, the lower median of each.

Interleaved, so that a slow moment of the machine hits all widths alike. What does not fit into the
time is left out, the least useful first, and interpolated (curves.py); what time is left at the end
goes to the narrow ones. Of two samples the lower one counts: a stall only ever adds, and a width
that it made too dear would never be tried. The cache is empty before and after.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median, median_low

from engine.costs.curves import Measurement
from engine.costs.shape import MOST_ROWS
from engine.types import Decoder

BUDGET_S = 2.5
MOST_ROUNDS = 9
"""How often a width is timed again at most, behind the first time."""
FEWEST_ROUNDS = 3
"""Widths are added only as long as there is time for so many rounds over all of them."""
FEWEST_JOBS = 6
"""So many are timed, of both models together, however few rounds there is time for."""
REJECTED = 0.5
"""How many drafts are thought to need their state put back, where that is done by a saved one."""
TELLING = 4
"""The width that is measured however slow the target is: with it and 1 there is a line."""
WIDTHS = (1, 4, 8, 2, 16, 32, 6, 3, 12, 24, 17, 5, 9, 7, 10, 14, 20, 28, 11, 13)
"""The most telling first; then all others."""
ORDER = (*WIDTHS, *(n for n in range(1, MOST_ROWS + 1) if n not in WIDTHS))
DRAFT_WIDTHS = (1, 8, 32)
RETURNS = 2
"""How often it is timed what returning to plain decoding takes; the less counts."""
CHECKED = (1, 4, 8, 16)
"""The widths at which kept curves are looked at once more."""
MOST_CHECKS = 3
"""How often they are timed for that before the curves are given up."""
CHECK_S = 1.0
"""What looking at kept curves once may take, but for the first two widths."""
BEHAVES, DRAFT_BEHAVES = 0.35, 0.7
"""A logarithm that ratios of kept curves may be off before they are measured anew; and that to the
draft model, whose forwards are so short that their times differ more.
"""
MOST_REPAIRS = 2
"""How often a width is timed anew that is implausibly dear."""
SLACK = 1.1
"""How many times as dear as is plausible it may be."""
UNKNOWN_NOISE = 0.05
"""Where all that was timed twice seemed stalled."""

Timed = tuple[Decoder, int]


class Stopwatch:
    """Times forwards of one text.

    saves: whether rejected tokens leave the target by a state that is saved before
    (cache/rollback.py).
    """

    def __init__(
        self, target: Decoder, tokens: Sequence[int], clock: Callable[[], float], saves: bool
    ) -> None:
        self.target, self.clock = target, clock
        self._tokens, self._saves = tokens, saves

    def time(self, job: Timed) -> float:
        """Return the seconds of one forward; a single token is timed behind others, as in plain
        decoding.

        A target that saves does so before each draft, and where a token is rejected puts that back
        and evaluates the others again: half of the tokens, where nothing is known.
        """
        decoder, n = job
        tokens, clock = self._tokens, self.clock
        decoder.drop(0)
        saves = self._saves and decoder is self.target and n > 1
        start = decoder.settles if n == 1 else int(saves)
        for at in range(start):
            decoder.decode(tokens[at : at + 1], at, 1)
        began = clock()
        saved = decoder.save() if saves else None
        decoder.decode(tokens[start : start + n], start, n)
        seconds = clock() - began
        if saved is not None:
            began = clock()
            decoder.restore(saved, start)
            decoder.decode(tokens[start : start + (n + 1) // 2], start, 0)
            seconds += REJECTED * (clock() - began)
        decoder.drop(0)
        return seconds

    def returning(self, single_s: float) -> float:
        """Return the seconds that plain decoding takes longer behind a draft, until it is settled.

        single_s: of a single token when it is.
        """
        target, tokens, clock = self.target, self._tokens, self.clock
        target.drop(0)
        target.decode(tokens[:TELLING], 0, TELLING)
        began = clock()
        for at in range(TELLING, TELLING + target.settles):
            target.decode(tokens[at : at + 1], at, 1)
        seconds = clock() - began
        target.drop(0)
        return max(0.0, seconds - target.settles * single_s)


class Rounds:
    """Times forwards again and again, from now on and in about budget_s seconds and what stalls
    took that were noticed.

    times: the seconds of each; stalled: which of them a stall seems to have hit.
    """

    def __init__(self, watch: Stopwatch, budget_s: float) -> None:
        self.times: dict[Timed, list[float]] = {}
        self.stalled: set[Timed] = set()
        self._watch, self._budget_s = watch, budget_s
        self._began = watch.clock()

    def first(self, jobs: Iterable[Timed]) -> None:
        """Time each once, as many of them as there is time for."""
        times, budget_s = self.times, self._budget_s
        for job in jobs:
            spent = self._spent()
            if len(times) >= FEWEST_JOBS and FEWEST_ROUNDS * spent > budget_s:
                break
            if (self._watch.target, TELLING) in times and spent + _expected(job, times) > budget_s:
                break
            times[job] = [self._watch.time(job)]
            self._repair()

    def more(self) -> None:
        """Time them again in what time is left."""
        for _ in range(MOST_ROUNDS):
            for job, samples in self.times.items():
                if self._spent() + _takes(job, min(samples)) <= self._budget_s:
                    samples.append(self._watch.time(job))

    def _spent(self) -> float:
        """Return the seconds since the beginning, but for what stalls took."""
        return self._watch.clock() - self._began

    def _repair(self) -> None:
        """Time anew what a stall seems to have hit: what takes longer than a wider batch, or than
        its tokens in narrower ones.
        """
        for (decoder, n), samples in self.times.items():
            others = [(m, s) for (other, m), s in self.times.items() if other is decoder and m != n]
            plausible = min((min(s) * max(1.0, n / m) for m, s in others), default=math.inf)
            while len(samples) <= MOST_REPAIRS and min(samples) > SLACK * plausible:
                self.stalled.add((decoder, n))
                before = min(samples)
                samples.append(self._watch.time((decoder, n)))
                self._began += before - min(samples)


def measure(
    target: Decoder,
    draft: Decoder | None,
    tokens: Sequence[int],
    budget_s: float = BUDGET_S,
    clock: Callable[[], float] = time.perf_counter,
    saves: bool = False,
) -> Measurement:
    """Measure both models on `tokens`, at least MOST_ROWS of them, in about budget_s seconds and
    what stalls took that were noticed; longer only if two widths of the target take longer.

    saves: as `Stopwatch` has it.
    """
    target.drop(0)
    target.decode(tokens[:1], 0, 1)  # has the weights read from the disk
    watch = Stopwatch(target, tokens, clock, saves)
    rounds = Rounds(watch, budget_s)
    rounds.first(_jobs(target, draft))
    rounds.more()
    medians = {job: median_low(samples) for job, samples in rounds.times.items()}
    returning_s = 0.0
    if target.settles > 1:
        returning_s = min(watch.returning(medians[target, 1]) for _ in range(RETURNS))
    return Measurement(
        {n: s for (decoder, n), s in medians.items() if decoder is target},
        {n: s for (decoder, n), s in medians.items() if decoder is draft},
        _noise(samples for job, samples in rounds.times.items() if job not in rounds.stalled),
        target.settles,
        returning_s,
    )


def behaves(
    target: Decoder,
    draft: Decoder | None,
    tokens: Sequence[int],
    kept: Measurement,
    clock: Callable[[], float] = time.perf_counter,
    saves: bool = False,
) -> float | None:
    """Return how many times as long as by the kept curves everything takes now; None if the machine
    has other ratios than they do. saves: as `Stopwatch` has it.
    """
    known = [n for n in CHECKED if n in kept.target_s and n <= target.n_batch]
    takes = itertools.accumulate(kept.target_s[n] for n in known)
    widths = [n for n, s in zip(known, takes, strict=True) if s <= CHECK_S or n in known[:2]]
    expected = {(target, n): kept.target_s[n] for n in widths}
    if draft is not None and 1 in kept.draft_s:
        expected[draft, 1] = kept.draft_s[1]
    watch = Stopwatch(target, tokens, clock, saves)
    now, began = dict.fromkeys(expected, math.inf), clock()
    for _ in range(MOST_CHECKS if widths else 0):
        if clock() - began > BUDGET_S:
            break
        now = {job: min(s, watch.time(job)) for job, s in now.items()}
        ratios = [math.log(s / expected[job]) for job, s in now.items()]
        of_target = ratios[: len(widths)]
        if _spread(of_target) < BEHAVES and _spread(ratios) < DRAFT_BEHAVES:
            return math.exp(median(of_target))
    return None


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _jobs(target: Decoder, draft: Decoder | None) -> list[Timed]:
    """Return what to time, the most telling first: what one token costs in either model."""
    jobs = [(target, n) for n in ORDER if n <= target.n_batch]
    if draft is not None:
        one, *wider = [(draft, n) for n in DRAFT_WIDTHS if n <= draft.n_batch]
        jobs[1:2] = [one, *jobs[1:2], *wider]
    return jobs


def _expected(job: Timed, times: Mapping[Timed, Sequence[float]]) -> float:
    """Return what one forward should take at most: as much a token as the next narrower one that
    was timed, or as much as the next wider one.
    """
    decoder, n = job
    known = [(m, min(samples)) for (other, m), samples in times.items() if other is decoder]
    return _takes(job, min((s * max(1.0, n / m) for m, s in known), default=0.0))


def _takes(job: Timed, seconds: float) -> float:
    """Return how long timing it takes: a single token has others before it."""
    decoder, n = job
    return (1 + decoder.settles) * seconds if n == 1 else seconds


def _noise(samples: Iterable[Sequence[float]]) -> float:
    """Return the median of the relative median deviations of those that were timed repeatedly."""
    spreads = []
    for seconds in samples:
        if len(seconds) > 1:
            middle = median(seconds)
            spreads.append(median(abs(s - middle) for s in seconds) / middle)
    return median(spreads) if spreads else UNKNOWN_NOISE
