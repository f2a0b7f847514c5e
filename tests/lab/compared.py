"""What a comparison (compare.py) found, as tables, as one figure for each rival, and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from statistics import fmean, median, quantiles

from tests.lab.contenders import Run, now
from tests.lab.drafters import variety

RIVALS = (
    ("none", "server plain"),
    ("lookup", "bindings lookup"),
    ("auto", "server default"),
    ("auto", "server best"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one contender."""

    quant: str
    temperature: float
    task: str
    item: int
    round: int
    contender: str
    run: Run
    speedup: float


def table(found: list[Answer]) -> str:
    """Return the medians with quartiles: a row for each task, a column for each contender."""
    names = list(dict.fromkeys(a.contender for a in found))
    shown = [name for name in names if name not in ("none", "server plain", "bindings plain")]
    lines = []
    for quant, temperature in dict.fromkeys((a.quant, a.temperature) for a in found):
        here = [a for a in found if (a.quant, a.temperature) == (quant, temperature)]
        plain = median(a.run.tps for a in here if a.contender == "none")
        lines += ["", f"{quant}, temperature {temperature:g} (plain: {plain:.1f} tokens/s)", ""]
        lines.append("| task | " + " | ".join(shown) + " |")
        lines.append("|---" * (len(shown) + 1) + "|")
        for task in dict.fromkeys(a.task for a in here):
            cells = []
            for name in shown:
                ratios = [a.speedup for a in here if (a.task, a.contender) == (task, name)]
                cells.append(spread(ratios))
            lines.append(f"| {task} | " + " | ".join(cells) + " |")
        means = [f"**{mean_of(here, name):.2f}**" for name in shown]
        lines.append("| average | " + " | ".join(means) + " |")
    return "\n".join(lines)


def spread(ratios: list[float]) -> str:
    """Return the median, and the quartiles where there are enough."""
    if len(ratios) < 3:
        return f"{median(ratios):.2f}"
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def mean_of(found: list[Answer], name: str) -> float:
    """Return the average over tasks of a contender's median speed-up."""
    tasks = dict.fromkeys(a.task for a in found)
    return fmean(
        median(a.speedup for a in found if (a.task, a.contender) == (task, name)) for task in tasks
    )


def rates(found: list[Answer]) -> str:
    """Return our tokens/s over a peer's in the same round: tasks' medians, averaged."""
    tps = {key_of(a, a.contender): a.run.tps for a in found}
    lines = [""]
    for ours, theirs in RIVALS:
        ratios: dict[tuple[str, float], dict[str, list[float]]] = {}
        for answer in found:
            rival = tps.get(key_of(answer, theirs))
            if answer.contender == ours and rival:
                of_tasks = ratios.setdefault((answer.quant, answer.temperature), {})
                of_tasks.setdefault(answer.task, []).append(answer.run.tps / rival)
        for (quant, temperature), of_tasks in ratios.items():
            medians = [median(each) for each in of_tasks.values()]
            mean = f"{fmean(medians):.2f} ({min(medians):.2f} to {max(medians):.2f} by task)"
            lines.append(f"{quant}, T {temperature:g}: tokens/s of {ours} over {theirs}: {mean}")
    return "\n".join(lines)


def key_of(answer: Answer, contender: str) -> tuple[object, ...]:
    """Name what a contender did with the same prompt in the same round."""
    return contender, answer.quant, answer.temperature, answer.task, answer.item, answer.round


def verdict(found: list[Answer]) -> str:
    """Return what makes the figures believable: agreement, length, variety, raw plain rates."""
    lines = [""]
    greedy = [a for a in found if a.temperature == 0.0]
    wanted = {
        (a.quant, a.task, a.item, a.round): a.run.text for a in greedy if a.contender == "none"
    }
    for name in dict.fromkeys(a.contender for a in greedy):
        own = [a for a in greedy if a.contender == name]
        same = sum(a.run.text == wanted[a.quant, a.task, a.item, a.round] for a in own)
        lines.append(f"greedy text as plain's: {name} {same} of {len(own)}")
    plain = [a.run for a in found if a.contender == "none"]
    lines.append(f"shortest answer {min(run.n_tokens for run in plain)} tokens")
    words = [variety(list(map(hash, run.text.split()))) for run in plain]
    lines.append(f"distinct 4-grams of words: least {min(words):.2f}, median {median(words):.2f}")
    auto = [a.run for a in found if a.contender == "auto" and a.run.steps]
    if auto:
        spent = median(1e6 * run.overhead_s / run.steps for run in auto)
        lines.append(f"outside llama.cpp, auto: {spent:.0f} µs a step (median)")
    return "\n".join(lines)


def as_json(found: list[Answer], swept: dict[str, dict[str, float]]) -> str:
    """Return everything."""
    return json.dumps(
        {"date": now(), "swept": swept, "answers": [asdict(a) for a in found]}, indent=1
    )
