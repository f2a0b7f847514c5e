"""Measures what forwards cost: rounds over batch widths, interleaved, the lower median of each.

Interleaved, so that a slow moment of the machine hits all widths alike. What does not fit into the
time is left out, the least useful first, and interpolated (costs.py); what time is left at the end
goes to the narrow ones. Of two samples the lower one counts: a stall only ever adds, and a width
that it made too dear would never be tried. The cache is empty before and after.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median, median_low

from engine.costs import MOST_ROWS, Measurement
from engine.types import Decoder

BUDGET_S = 2.5
MOST_ROUNDS = 9
FEWEST_ROUNDS, FEWEST_JOBS = 3, 6
WIDTHS = (1, 4, 8, 2, 16, 32, 6, 3, 12, 24, 17, 5, 9, 7, 10, 14, 20, 28, 11, 13)
"""The most telling first; then all others."""
ORDER = (*WIDTHS, *(n for n in range(1, MOST_ROWS + 1) if n not in WIDTHS))
DRAFT_WIDTHS = (1, 8, 32)
CHECKED, MOST_CHECKS = (1, 4, 8, 16), 3
BEHAVES = 0.35
"""A logarithm that ratios of kept curves may be off before they are measured anew."""
MOST_REPAIRS, SLACK = 2, 1.1
"""How often a width is timed anew that is implausibly dear, and what is not yet implausible."""
UNKNOWN_NOISE = 0.05
"""Where all that was timed twice seemed stalled."""

Timed = tuple[Decoder, int]


def measure(
    target: Decoder,
    draft: Decoder | None,
    tokens: Sequence[int],
    budget_s: float = BUDGET_S,
    clock: Callable[[], float] = time.perf_counter,
) -> Measurement:
    """Measure both models on `tokens`, at least MOST_ROWS of them, in about budget_s seconds and
    what stalls took that were noticed.
    """
    target.drop(0)
    target.decode(tokens[:1], 0, 1)  # has the weights read from the disk
    began = clock()
    jobs = [(target, n) for n in ORDER if n <= target.n_batch]
    if draft is not None:
        jobs[1:1] = [(draft, n) for n in DRAFT_WIDTHS if n <= draft.n_batch]
    times: dict[Timed, list[float]] = {}
    stalled: set[Timed] = set()
    for job in jobs:
        spent = clock() - began
        if len(times) >= FEWEST_JOBS and FEWEST_ROUNDS * spent > budget_s:
            break
        times[job] = [_time(job, tokens, clock)]
        began += _repair(times, stalled, tokens, clock)
    for _ in range(MOST_ROUNDS):
        for job, samples in times.items():
            if clock() - began + min(samples) <= budget_s:
                samples.append(_time(job, tokens, clock))
    if len(times[jobs[0]]) == 1:  # slow: what else tells how noisy it is?
        times[jobs[0]].append(_time(jobs[0], tokens, clock))
    medians = {job: median_low(samples) for job, samples in times.items()}
    return Measurement(
        {n: s for (decoder, n), s in medians.items() if decoder is target},
        {n: s for (decoder, n), s in medians.items() if decoder is draft},
        _noise(samples for job, samples in times.items() if job not in stalled),
    )


def behaves(
    target: Decoder,
    tokens: Sequence[int],
    kept: Measurement,
    clock: Callable[[], float] = time.perf_counter,
) -> bool:
    """Whether the machine still has the kept curves' ratios, whatever its pace."""
    widths = [n for n in CHECKED if n in kept.target_s and n <= target.n_batch]
    now = dict.fromkeys(widths, math.inf)
    for _ in range(MOST_CHECKS if widths else 0):
        now = {n: min(s, _time((target, n), tokens, clock)) for n, s in now.items()}
        ratios = [s / kept.target_s[n] for n, s in now.items()]
        if math.log(max(ratios) / min(ratios)) < BEHAVES:
            return True
    return False


def _repair(
    times: Mapping[Timed, list[float]],
    stalled: set[Timed],
    tokens: Sequence[int],
    clock: Callable[[], float],
) -> float:
    """Time anew what a stall seems to have hit, and add it to `stalled`: what takes longer than a
    wider batch, or than its tokens in narrower ones. Return the seconds that were lost.
    """
    lost = 0.0
    for (decoder, n), samples in times.items():
        others = [(m, s) for (other, m), s in times.items() if other is decoder and m != n]
        plausible = min((min(s) * max(1.0, n / m) for m, s in others), default=math.inf)
        while len(samples) <= MOST_REPAIRS and min(samples) > SLACK * plausible:
            stalled.add((decoder, n))
            before = min(samples)
            samples.append(_time((decoder, n), tokens, clock))
            lost += before - min(samples)
    return lost


def _time(job: Timed, tokens: Sequence[int], clock: Callable[[], float]) -> float:
    """Return the seconds of one forward; a single token is timed behind another, as in decoding."""
    decoder, n = job
    decoder.drop(0)
    start = 0
    if n == 1:
        decoder.decode(tokens[:1], 0, 1)
        start = 1
    began = clock()
    decoder.decode(tokens[start : start + n], start, n)
    seconds = clock() - began
    decoder.drop(0)
    return seconds


def _noise(samples: Iterable[Sequence[float]]) -> float:
    """Return the median of the relative median deviations of those that were timed repeatedly."""
    spreads = []
    for seconds in samples:
        if len(seconds) > 1:
            middle = median(seconds)
            spreads.append(median(abs(s - middle) for s in seconds) / middle)
    return median(spreads) if spreads else UNKNOWN_NOISE
