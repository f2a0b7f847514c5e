"""Prints a benchmark's result for a terminal, or as plain text where there is none.

Colours are rich's to leave out: in a pipe and under NO_COLOR there are none. Nothing that is
printed is read as markup.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from app.bench import words
from app.bench.changes import Changes, changes
from app.bench.folding import Folding
from app.bench.plan import PLAIN_DRAFTER
from app.bench.plots import bar_line, curves
from app.bench.result import Result
from app.bench.summary import Row, Summary, Total, summarise
from engine import Costs

PLOT_ROWS = 10
WIDEST = 110
MOST_PLACES = 32
NAMED_PLACES = (1, 4, 8, 16)
NOISE = 0.02
"""Nearer to plain than this is neither faster nor slower."""


def show_result(result: Result, former: Result | None, console: Console | None = None) -> None:
    """Print everything that a person wants to know first."""
    console = console or _console()
    for part in parts(result, former, console.width):
        console.print(part)


def _console() -> Console:
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # for a stream that knows no block characters
    console = Console(highlight=False)
    console.width = min(console.width, WIDEST)
    return console


def parts(result: Result, former: Result | None, columns: int) -> Iterator[RenderableType]:
    """Yield what is printed, from top to bottom. columns: how wide it may be."""
    summary = summarise(result)
    changed = changes(result, former) if former else {}
    yield Text("\n".join(words.heading(result)))
    for temperature in summary.temperatures:
        how = words.median_of(summary, temperature)
        title = f"\nSpeed-up over plain at temperature {temperature:g}"
        yield Text(f"{title}: {how}" if how else title, style="bold")
        yield _speeds(result, summary, changed, temperature)
        for remark in words.remarks(summary, temperature):
            yield Text(f"  ! {remark}", style="yellow")
    yield Text("\nAll tasks and temperatures together", style="bold")
    yield _totals(summary)
    yield Text(
        "  speed-up: of decoding behind the first step; answers: of whole answers; per step: "
        "tokens; overhead: per step, outside llama.cpp; ties: near-ties",
        style="dim",
    )
    yield from _acceptance(summary)
    if result.costs is not None and result.costs.target_s:
        yield from _costs(result.costs, columns)
    for line in words.caveats(result, summary, former):
        yield Text(line, style="bold")


def _speeds(
    result: Result, summary: Summary, changed: Changes, temperature: float
) -> RenderableType:
    """Tasks x drafters at one temperature: the median speed-up, its change and its spread."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    drafters = [name for name in summary.drafters if name != PLAIN_DRAFTER]
    table.add_column("task", overflow="fold")
    table.add_column("plain t/s", justify="right")
    for name in drafters:
        table.add_column(Text(name), justify="right", overflow="fold")
    table.add_column("checks", overflow="fold")
    for task in result.setup.tasks:
        plain = summary.row(task.name, temperature, PLAIN_DRAFTER)
        if plain is None:
            continue
        cells = [
            _cell(summary, summary.row(task.name, temperature, name), changed) for name in drafters
        ]
        checks = words.row_checks(summary, task.name, temperature)
        table.add_row(
            Text(task.name),
            words.speed(plain.counts.decode_tps),
            *cells,
            Text(checks, style="" if checks == "ok" else "yellow"),
        )
    means = [summary.total(temperature, name) for name in drafters]
    table.add_section()
    overall = [_coloured(total.speedup if total else None) for total in means]
    table.add_row(Text("geometric mean"), "", *overall, "")
    return Folding(table)


def _cell(summary: Summary, row: Row | None, changed: Changes) -> Text:
    if row is None or row.speedup is None:
        return Text(words.gain(row))
    text = _coloured(row.speedup.median)
    if words.best(summary, row):
        text.stylize("bold")
    change = words.change(changed.get((row.task, row.temperature, row.drafter)))
    if change:
        text.append(f" {change}", style="dim")
    apart = words.spread(row.speedup)
    return text.append(f"\n{apart}", style="dim") if apart else text


def _coloured(speedup: float | None) -> Text:
    style = ""
    if speedup is not None and abs(speedup - 1.0) > NOISE:
        style = "green" if speedup > 1.0 else "red"
    text = Text()
    return text.append(words.times(speedup), style=style)


def _totals(summary: Summary) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in ("drafter", "speed-up", "answers", "accepted", "per step", "overhead", "ties"):
        is_name = name == "drafter"
        table.add_column(
            name, justify="left" if is_name else "right", no_wrap=is_name, overflow="fold"
        )
    table.add_column("plain's tokens", overflow="fold")
    for drafter in summary.drafters:
        total = summary.total(None, drafter)
        if total is not None:
            table.add_row(*_total(total))
    return Folding(table)


def _total(total: Total) -> list[RenderableType]:
    counts = total.counts
    length = counts.mean_acceptance_length
    return [
        Text(words.shown(total.drafter)),
        _coloured(total.speedup),
        _coloured(total.answer_speedup),
        words.percent(counts.acceptance_rate),
        words.NOTHING if length is None else f"{length:.2f}",
        words.milliseconds(counts.overhead_per_step_s),
        str(counts.near_ties),
        Text(words.exactness(total)),
    ]


def _acceptance(summary: Summary) -> Iterator[RenderableType]:
    """One line of bars per drafter: how much of each place in the draft was accepted."""
    totals = [summary.total(None, drafter) for drafter in summary.drafters]
    known = [(total.drafter, words.places(total)) for total in totals if total]
    known = [(drafter, places) for drafter, places in known if places]
    if not known:
        return
    yield Text("\nAcceptance by place in the draft", style="bold")
    wide = min(MOST_PLACES, max(len(places) for _, places in known))
    for drafter, places in known:
        bars = bar_line([rate for _, rate in places[:MOST_PLACES]])
        named = [f"{n}: {words.percent(rate)}" for n, rate in places if n in NAMED_PLACES]
        yield Text(f"  {drafter:<12}{bars:<{wide}}  {', '.join(named[:3])}")


def _costs(costs: Costs, columns: int) -> Iterator[RenderableType]:
    """Draw what a forward of n tokens costs, in plain tokens."""
    plain_s = costs.target_s[0]
    series = {"●": [value / plain_s for value in costs.target_s]}
    legend = "● target: a forward of n tokens"
    if costs.draft_s:
        series["○"] = [value / plain_s for value in costs.draft_s]
        legend += "   ○ draft model: drafting n tokens"
    title = f"\nCosts over a plain token's {words.milliseconds(plain_s)}"
    yield Text(title, style="bold")
    yield Text(legend)
    yield Text("\n".join(curves(series, columns, PLOT_ROWS)))
