"""How figures and remarks are written, the same in the terminal and in the report (pure)."""

from __future__ import annotations

from pathlib import PurePath

from app.bench.changes import changes
from app.bench.plan import PLAIN_DRAFTER
from app.bench.result import ModelFile, Result
from app.bench.summary import Row, Spread, Summary, Total
from app.sizes import counted
from app.terminal.sanitise import one_line

NOTHING = "-"
NOTHING_DRAFTED = "nothing drafted"
TIMES = "\N{MULTIPLICATION SIGN}"
FEWEST_TESTED = 8
"""Fewer tests say nothing of a place's acceptance."""
MOST_APART = 1.1
"""What equal work may differ by on a machine that does nothing else."""


def times(value: float | None) -> str:
    """Write a speed-up."""
    return NOTHING if value is None else f"{value:.2f}{TIMES}"


def gain(row: Row | None) -> str:
    """Write the speed-up of a row."""
    if row is not None and row.drafted_nothing:
        return NOTHING_DRAFTED
    return times(row.speedup.median if row and row.speedup else None)


def median_of(summary: Summary, temperature: float) -> str:
    """Say how the speed-ups at a temperature are written; "" where each is a single value."""
    own = [row.speedup for row in summary.rows if row.temperature == temperature]
    return "median, lowest-highest" if any(s and s.n > 1 for s in own) else ""


def spread(values: Spread | None) -> str:
    """Write how far the values of a speed-up lie apart; "" for a single one."""
    if values is None:
        return NOTHING
    return f"{values.low:.2f}-{values.high:.2f}" if values.n > 1 else ""


def change(value: float | None) -> str:
    """Write a change since a former run; "" if there is none to compare with."""
    if value is None:
        return ""
    rounded = round(value * 100)
    return f"{rounded:+d} %" if rounded else "0 %"


def percent(value: float | None) -> str:
    """Write a share."""
    return NOTHING if value is None else f"{value * 100:.0f} %"


def speed(value: float | None) -> str:
    """Write tokens per second with three digits."""
    if value is None:
        return NOTHING
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}"


def milliseconds(value_s: float | None) -> str:
    """Write a short time."""
    return NOTHING if value_s is None else f"{value_s * 1000:.2f} ms"


def size(size_bytes: int) -> str:
    """Write a file's size."""
    mebi = size_bytes / 2**20
    return f"{mebi / 1024:.1f} GiB" if mebi >= 1024 else f"{mebi:.0f} MiB"


def shown(drafter: str) -> str:
    """Write a drafter's name."""
    return "plain" if drafter == PLAIN_DRAFTER else drafter


def exactness(total: Total) -> str:
    """Say of how many answers the tokens are plain's."""
    near = f", {total.at_near_ties} at near-ties" if total.at_near_ties else ""
    return f"{total.equal} of {total.comparable}{near}"


def places(total: Total) -> list[tuple[int, float]]:
    """Return (place in the draft from 1, acceptance), where enough tokens were tested."""
    counts = total.counts
    pairs = zip(counts.acceptance_at, counts.tested_at, strict=True)
    return [(i, rate) for i, (rate, n) in enumerate(pairs, start=1) if n >= FEWEST_TESTED]


def row_checks(summary: Summary, task: str, temperature: float) -> str:
    """Say in a word or two whether the answers of a task may be trusted."""
    rows = (summary.row(task, temperature, drafter) for drafter in summary.drafters)
    kinds = dict.fromkeys(check.kind for row in rows if row for check in row.checks)
    return ", ".join(kinds) or "ok"


def remarks(summary: Summary, temperature: float) -> list[str]:
    """Write the checks that failed, one line for all drafters of which the same is to be said."""
    said: dict[tuple[str, str], list[str]] = {}
    for row in summary.rows:
        for check in row.checks if row.temperature == temperature else ():
            said.setdefault((row.task, check.said), []).append(shown(row.drafter))
    everybody = [shown(drafter) for drafter in summary.drafters]
    return [
        f"{task}: {words}" if who == everybody else f"{task}, {', '.join(who)}: {words}"
        for (task, words), who in said.items()
    ]


def heading(result: Result) -> list[str]:
    """Say what was measured, on what."""
    setup = result.setup
    files = " + ".join(_file(file) for file in (setup.target, setup.draft) if file)
    rounds = counted(setup.rounds, "round")
    thinking = "" if setup.think is None else f", thinking {'on' if setup.think else 'off'}"
    kernels = "batch-invariant, " if setup.batch_invariant else ""
    return [
        one_line(files),
        one_line(
            f"{setup.device}, {kernels}threads: {setup.threads}; Slipstream "
            f"{setup.versions.get('slipstream', '?')}; {rounds}, seed {setup.sampling.seed}, "
            f"verify {setup.verify}{thinking}; {result.date[:10]}"
        ),
        *(one_line(notice) for notice in result.notices),
    ]


def _file(file: ModelFile) -> str:
    return f"{PurePath(file.name).name} ({size(file.size_bytes)})"


def caveats(result: Result, summary: Summary, former: Result | None) -> list[str]:
    """Say what is missing or in doubt, and with what the changes compare."""
    lines = [one_line(line) for line in (result.cut_short, result.earlier) if line]
    lines += [f"Left out: {one_line(reason)}" for reason in result.skipped]
    if summary.apart > MOST_APART:
        lines.append(
            "Something else kept the machine busy, so these figures are rough: runs of equal work "
            f"differed by up to {times(summary.apart)}."
        )
    if former is None:
        return lines
    when = f"the run of {one_line(former.date)[:16].replace('T', ' ')} UTC"
    if not changes(result, former):
        kinds = "another seed, or other tasks, temperatures, lengths or drafters"
        return [*lines, f"Nothing compares with {when}: it has {kinds}."]
    other = result.other_than(former)
    if other:
        return [*lines, f"Changes (in %) are against {when}, with other {' and '.join(other)}."]
    return [*lines, f"Changes (in %) are against {when}."]


def best(summary: Summary, row: Row) -> bool:
    """Whether this is the fastest drafter of its task and temperature."""
    rivals = (summary.row(row.task, row.temperature, name) for name in summary.drafters)
    medians = [rival.speedup.median for rival in rivals if rival and rival.speedup]
    return row.speedup is not None and row.speedup.median == max(medians)
