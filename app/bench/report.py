"""A benchmark's result as one HTML file that needs nothing else: inline style and plots, no script.

Every text that comes from elsewhere (file names, notices, tasks) is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from app.bench import svg, words
from app.bench.changes import Changes, changes
from app.bench.plan import PLAIN_DRAFTER
from app.bench.result import Result
from app.bench.summary import Row, Summary, summarise
from app.terminal.sanitise import one_line
from engine import Costs

STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --dim: #5b6472; --page: #fff; --rule: #d9dee6;
  --c0: #2f6fde; --c1: #d9822b; --c2: #1f9d6b; --c3: #a349c4; --c4: #c43d4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #9aa4b2; --page: #14171d;
  --rule: #323945; --c0: #6ea2ff; --c1: #f0a55a; --c2: #4fcf9b; --c3: #cf8bea; --c4: #f0808a;
  --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
p.dim, td small { color: var(--dim); } p.bad, td.bad { color: var(--bad); }
div.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; }
th:first-child, td:first-child { text-align: left; } td small { display: block; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
div.wide svg { min-width: 34rem; }
svg text { fill: var(--ink); } svg .line { fill: none; stroke-width: 2; }
svg .grid { stroke: var(--rule); } svg .one { stroke: var(--ink); stroke-dasharray: 4 3; }
svg .spread { stroke: var(--ink); stroke-width: 2; opacity: .6; }
.c0 { fill: var(--c0); stroke: var(--c0); } .c1 { fill: var(--c1); stroke: var(--c1); }
.c2 { fill: var(--c2); stroke: var(--c2); } .c3 { fill: var(--c3); stroke: var(--c3); }
.c4 { fill: var(--c4); stroke: var(--c4); }
"""
COLOURS = ("c0", "c1", "c2", "c3", "c4")


def as_html(result: Result, former: Result | None) -> str:
    """Return the page."""
    summary = summarise(result)
    changed = changes(result, former) if former else {}
    title, *facts = words.heading(result)
    body = [
        f"<h1>Slipstream benchmark</h1><p><strong>{escape(title)}</strong></p>",
        *(f'<p class="dim">{escape(fact)}</p>' for fact in facts),
        *(f'<p class="bad">{escape(line)}</p>' for line in words.caveats(result, summary, former)),
        *(_speeds(result, summary, changed, t) for t in summary.temperatures),
        "<h2>All tasks and temperatures together</h2>",
        _totals(summary),
        *_acceptance(summary),
        *_costs(result.costs),
        _tasks(result),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Slipstream benchmark: {escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(body)}\n</body></html>\n"
    )


def _colour(summary: Summary, drafter: str) -> str:
    """Return the colour of a drafter, the same in every plot."""
    return COLOURS[(summary.drafters.index(drafter) - 1) % len(COLOURS)]


def _speeds(result: Result, summary: Summary, changed: Changes, temperature: float) -> str:
    """Plot and table of one temperature."""
    drafters = [name for name in summary.drafters if name != PLAIN_DRAFTER]
    groups: dict[str, list[svg.Bar]] = {}
    lines: list[Sequence[str]] = []
    for task in result.setup.tasks:
        plain = summary.row(task.name, temperature, PLAIN_DRAFTER)
        if plain is None:
            continue
        rows = [summary.row(task.name, temperature, name) for name in drafters]
        groups[task.name] = [_bar(summary, row) for row in rows if row]
        cells = [_cell(row, changed) for row in rows]
        checks = words.row_checks(summary, task.name, temperature)
        lines.append([escape(task.name), words.speed(plain.counts.decode_tps), *cells, checks])
    remarks = "".join(
        f'<p class="bad">{escape(line)}</p>' for line in words.remarks(summary, temperature)
    )
    drawn = "Bars: the median; thin lines: from the lowest to the highest; dashed"
    if not words.median_of(summary, temperature):
        drawn = "Dashed"
    return (
        f"<h2>Speed-up over plain at temperature {temperature:g}</h2>"
        f'<p class="dim">{drawn}: plain decoding.</p>{_legend(summary)}'
        f"{svg.speed_bars(groups)}"
        f"{_table(['task', 'plain tokens/s', *drafters, 'checks'], lines)}{remarks}"
    )


def _bar(summary: Summary, row: Row) -> svg.Bar:
    colour, values, gain = _colour(summary, row.drafter), row.speedup, words.gain(row)
    if values is None:
        return colour, None, None, None, gain
    return colour, values.median, values.low, values.high, gain


def _cell(row: Row | None, changed: Changes) -> str:
    if row is None or row.speedup is None:
        return words.gain(row)
    change = words.change(changed.get((row.task, row.temperature, row.drafter)))
    more = f"{words.spread(row.speedup)} {change}".strip()
    small = f"<small>{more}</small>" if more else ""
    return f"{words.times(row.speedup.median)}{small}"


def _legend(summary: Summary) -> str:
    keys = (
        f'<svg viewBox="0 0 10 10" style="display:inline-block;width:.8em">'
        f'<rect class="{_colour(summary, name)}" width="10" height="10"/></svg> {escape(name)}'
        for name in summary.drafters
        if name != PLAIN_DRAFTER
    )
    return f"<p>{' &nbsp; '.join(keys)}</p>"


def _totals(summary: Summary) -> str:
    heads = [
        "drafter",
        "speed-up",
        "of whole answers",
        "accepted",
        "tokens per step",
        "overhead per step",
        "near-ties",
        "plain's very tokens",
    ]
    lines = []
    for drafter in summary.drafters:
        total = summary.total(None, drafter)
        if total is None:
            continue
        counts = total.counts
        length = counts.mean_acceptance_length
        lines.append(
            [
                escape(words.shown(drafter)),
                words.times(total.speedup),
                words.times(total.answer_speedup),
                words.percent(counts.acceptance_rate),
                words.NOTHING if length is None else f"{length:.2f}",
                words.milliseconds(counts.overhead_per_step_s),
                str(counts.near_ties),
                words.exactness(total),
            ]
        )
    return _table(heads, lines)


def _acceptance(summary: Summary) -> Iterator[str]:
    totals = (summary.total(None, drafter) for drafter in summary.drafters)
    known = [(t.drafter, places) for t in totals if t and (places := words.places(t))]
    if known:
        yield "<h2>Acceptance by place in the draft</h2>"
    for drafter, places in known:
        yield f"<h3>{escape(drafter)}</h3>"
        yield svg.place_bars(_colour(summary, drafter), drafter, places)


def _costs(costs: Costs | None) -> Iterator[str]:
    if costs is None or not costs.target_s:
        return
    plain_s = costs.target_s[0]
    series = {"target: a forward of n tokens": ("c0", [v / plain_s for v in costs.target_s])}
    if costs.draft_s:
        series["draft model: drafting n tokens"] = ("c1", [v / plain_s for v in costs.draft_s])
    yield f"<h2>Costs over a plain token's {words.milliseconds(plain_s)}</h2>{svg.curves(series)}"


def _tasks(result: Result) -> str:
    lines = [
        [
            escape(task.name),
            escape(one_line(task.about)),
            "from the prompt" if task.copies else "",
        ]
        for task in result.setup.tasks
    ]
    return f"<h2>Tasks</h2>{_table(['task', 'about', 'copies'], lines)}"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are HTML already."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>{rows}</table></div>'
