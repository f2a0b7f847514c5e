"""Derives from a benchmark's heats what a person reads (pure).

speed-up = a drafted answer's decode_tps over that of plain's answer in the same heat. A row is one
drafter at one task and temperature: the median over its heats, and their spread. A total is the
geometric mean of its rows' medians, so that each task weighs the same. Where a drafter drafted
nothing, and no time went to guesses that were thrown away, a factor would be the machine's noise:
there is none, and a total counts 1. Ratios of counts are taken of sums: accepted over tested,
output tokens over steps.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

import msgspec

from app.bench.checks import FEWEST_TOKENS, Check, checks_of
from app.bench.plan import PLAIN_DRAFTER
from app.bench.result import Answer, Heat, Result

Pair = tuple[Answer, Answer]
"""A drafter's answer and plain's, of one heat."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A median and how far the values lie apart. n: how many there are."""

    median: float
    low: float
    high: float
    lower_quartile: float
    upper_quartile: float
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread | None:
        """Return the spread of these values; None without any."""
        ordered = sorted(values)
        if not ordered:
            return None
        several = ordered if len(ordered) > 1 else ordered * 2
        quartiles = statistics.quantiles(several, n=4, method="inclusive")
        return cls(
            median=statistics.median(ordered),
            low=ordered[0],
            high=ordered[-1],
            lower_quartile=quartiles[0],
            upper_quartile=quartiles[2],
            n=len(ordered),
        )


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of several answers together; None where there is nothing to divide by.

    plain: answers for which no time went to drafts. acceptance_at: accepted over tested at each
    place of a draft, the first token's first.
    """

    answers: int
    plain: int
    output_tokens: int
    drafted: int
    decode_tps: float | None
    acceptance_rate: float | None
    mean_acceptance_length: float | None
    acceptance_at: tuple[float, ...]
    tested_at: tuple[int, ...]
    overhead_per_step_s: float | None
    near_ties: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One drafter, or plain, at one task and temperature.

    answer_speedup: of whole answers, the first step included, with the prompt in the cache.
    """

    task: str
    temperature: float
    drafter: str
    speedup: Spread | None
    answer_speedup: Spread | None
    counts: Counts
    checks: tuple[Check, ...]

    @property
    def drafted_nothing(self) -> bool:
        """Whether it is plain decoding although a drafter is named."""
        return self.drafter != PLAIN_DRAFTER and self.counts.plain == self.counts.answers


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """One drafter over all tasks. temperature: None for all of them together.

    comparable: answers that must have plain's very tokens; equal: that have them; at_near_ties:
    that part from plain's at a near-tie.
    """

    temperature: float | None
    drafter: str
    speedup: float | None
    answer_speedup: float | None
    counts: Counts
    comparable: int
    equal: int
    at_near_ties: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Rows in the tasks' order; totals per drafter, at each temperature and over all.

    apart: how many times faster than another a run of equal work was, at most; 1.0 if none was.
    """

    temperatures: tuple[float, ...]
    drafters: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: tuple[Total, ...]
    apart: float

    def row(self, task: str, temperature: float, drafter: str) -> Row | None:
        """Return this row; None if nothing of it was measured."""
        wanted = (task, temperature, drafter)
        return next((r for r in self.rows if (r.task, r.temperature, r.drafter) == wanted), None)

    def total(self, temperature: float | None, drafter: str) -> Total | None:
        """Return this total."""
        wanted = (temperature, drafter)
        return next((t for t in self.totals if (t.temperature, t.drafter) == wanted), None)


def summarise(result: Result) -> Summary:
    """Derive every figure."""
    temperatures = tuple(sorted({heat.temperature for heat in result.heats}))
    rows = tuple(
        row
        for temperature in temperatures
        for task in result.setup.tasks
        for drafter in result.setup.drafters
        if (row := _row(result, task.name, temperature, drafter)) is not None
    )
    totals = tuple(
        _total(result, rows, temperature, drafter)
        for temperature in (*temperatures, None)
        for drafter in result.setup.drafters
    )
    return Summary(
        temperatures=temperatures,
        drafters=result.setup.drafters,
        rows=rows,
        totals=totals,
        apart=_equal_work_apart(result.heats),
    )


def _equal_work_apart(heats: Iterable[Heat]) -> float:
    """Return how many times faster than another a plainly decoded answer to the same prompt was,
    at most; short ones, whose speed says little, are left out.
    """
    speeds: dict[tuple[str, int, float, int], list[float]] = {}
    for heat in heats:
        for answer in heat.answers:
            if answer.is_plain and answer.decode_tps and answer.output_tokens >= FEWEST_TOKENS:
                prompt = heat.task, heat.item, heat.temperature, heat.predict
                speeds.setdefault(prompt, []).append(answer.decode_tps)
    return max((max(of_one) / min(of_one) for of_one in speeds.values()), default=1.0)


def pairs(heats: Iterable[Heat], drafter: str) -> list[Pair]:
    """Return this drafter's answers, each beside plain's of the same heat."""
    found = ((heat.by(drafter), heat.by(PLAIN_DRAFTER)) for heat in heats)
    return [(answer, plain) for answer, plain in found if answer and plain]


def speedups(heats: Iterable[Heat], drafter: str) -> list[float | None]:
    """Return the speed-up in each heat; None where one of the two has no speed."""
    return [_ratio(a.decode_tps or None, p.decode_tps) for a, p in pairs(heats, drafter)]


def _answer_speedups(found: Sequence[Pair]) -> list[float | None]:
    """Return the speed-ups of whole answers; near-ties may have made them unequally long."""
    return [_ratio(_answer_tps(answer), _answer_tps(plain)) for answer, plain in found]


def _answer_tps(answer: Answer) -> float | None:
    return _ratio(answer.output_tokens, answer.answer_s)


def _row(result: Result, task: str, temperature: float, drafter: str) -> Row | None:
    heats = [h for h in result.heats if (h.task, h.temperature) == (task, temperature)]
    found = pairs(heats, drafter)
    if not found:
        return None
    answers = [answer for answer, _ in found]
    row = Row(
        task=task,
        temperature=temperature,
        drafter=drafter,
        speedup=Spread.of(known(speedups(heats, drafter))),
        answer_speedup=Spread.of(known(_answer_speedups(found))),
        counts=_counts(answers),
        checks=tuple(checks_of(answers, _must_equal(result, temperature))),
    )
    if row.drafted_nothing:
        return msgspec.structs.replace(row, speedup=None, answer_speedup=None)
    return row


def _must_equal(result: Result, temperature: float) -> bool:
    return result.exact or temperature == 0.0


def _total(result: Result, rows: Sequence[Row], temperature: float | None, drafter: str) -> Total:
    own = [r for r in rows if r.drafter == drafter and temperature in (None, r.temperature)]
    answered = [
        (heat, answer)
        for heat in result.heats
        if temperature in (None, heat.temperature) and (answer := heat.by(drafter)) is not None
    ]
    comparable = [a for heat, a in answered if _must_equal(result, heat.temperature)]
    return Total(
        temperature=temperature,
        drafter=drafter,
        speedup=_mean(known(_factor(row, row.speedup) for row in own)),
        answer_speedup=_mean(known(_factor(row, row.answer_speedup) for row in own)),
        counts=_counts([answer for _, answer in answered]),
        comparable=len(comparable),
        equal=sum(answer.parts_at is None for answer in comparable),
        at_near_ties=sum(answer.at_near_tie for answer in comparable),
    )


def _factor(row: Row, measured: Spread | None) -> float | None:
    """Return what a row adds to a mean."""
    if row.drafted_nothing:
        return 1.0
    return measured.median if measured else None


def _counts(answers: Sequence[Answer]) -> Counts:
    steps = sum(answer.steps for answer in answers)
    output_tokens = sum(answer.output_tokens for answer in answers)
    tested_at = _sums([answer.tested_at for answer in answers])
    accepted_at = _sums([answer.accepted_at for answer in answers])
    speeds = known(answer.decode_tps for answer in answers)
    return Counts(
        answers=len(answers),
        plain=sum(answer.is_plain for answer in answers),
        output_tokens=output_tokens,
        drafted=sum(answer.drafted for answer in answers),
        decode_tps=statistics.median(speeds) if speeds else None,
        acceptance_rate=_ratio(sum(a.accepted for a in answers), sum(a.tested for a in answers)),
        mean_acceptance_length=_ratio(output_tokens, steps),
        acceptance_at=tuple(a / t for a, t in zip(accepted_at, tested_at, strict=True) if t),
        tested_at=tested_at,
        overhead_per_step_s=_ratio(sum(answer.overhead_s for answer in answers), steps),
        near_ties=sum(len(answer.near_ties) for answer in answers),
    )


def _sums(rows: Sequence[Sequence[int]]) -> tuple[int, ...]:
    longest = max(map(len, rows), default=0)
    return tuple(sum(row[i] for row in rows if i < len(row)) for i in range(longest))


def known(values: Iterable[float | None]) -> list[float]:
    """Return the values that are not None."""
    return [value for value in values if value is not None]


def _mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean; None without any values."""
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else None


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b else None
