"""What a comparison (compare.py) found, as tables, as one figure for each rival, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import fmean, median, quantiles

from engine.cache.tokens import common_prefix
from tests.lab.contenders import Run, now
from tests.lab.drafters import variety
from tests.lab.sweep import Swept

OURS = ("none", "lookup", "draft_model", "auto")
LOOKUPS = {"bindings lookup": 10, "bindings lookup 2": 2}
"""Tokens that llama-cpp-python's lookup guesses: its default, and what its pages say is better on
CPUs.
"""
RIVALS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lookup", ("bindings lookup",)),
    ("lookup", tuple(LOOKUPS)),
    ("auto", ("server default",)),
    ("auto", ("server best",)),
)
"""Of several the better one, table by table."""
PLAIN = ("none", "server plain")
Key = tuple[str, float, str, int, int]


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

    @property
    def key(self) -> Key:
        """What was asked, in which round."""
        return self.quant, self.temperature, self.task, self.item, self.round


def table(found: list[Answer]) -> str:
    """Return the medians with quartiles: a row for each task, a column for each contender."""
    names = list(dict.fromkeys(a.contender for a in found))
    shown = [name for name in names if name not in (*PLAIN, "bindings plain")]
    apart = texts_apart(found)
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
            mark = " *" if (quant, temperature, task) in apart else ""
            lines.append(f"| {task}{mark} | " + " | ".join(cells) + " |")
        means = [f"**{mean_of(here, name):.2f}**" for name in shown]
        lines.append("| average | " + " | ".join(means) + " |")
    if apart:
        lines += ["", "* programs said different things there, so texts are compared as well"]
    return "\n".join(lines)


def texts_apart(found: list[Answer]) -> set[tuple[str, float, str]]:
    """Return the rows of tables in which a peer said something else than our plain decoding."""
    plain = runs_of(found, "none")
    return {
        (a.quant, a.temperature, a.task)
        for a in found
        if a.contender not in OURS and a.run.text != plain[a.key].text
    }


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


def runs_of(found: list[Answer], contender: str) -> dict[Key, Run]:
    """Return all that a contender said."""
    return {a.key: a.run for a in found if a.contender == contender}


@dataclass(frozen=True, slots=True)
class Duel:
    """Our rate over a peer's in the same rounds: tasks' medians; and how many texts are alike."""

    theirs: str
    medians: list[float]
    alike: int
    total: int

    @property
    def mean(self) -> float:
        """The average over tasks."""
        return fmean(self.medians)

    def __str__(self) -> str:
        by_task = f"{min(self.medians):.2f} to {max(self.medians):.2f} by task"
        texts = f"{self.alike} of {self.total} texts the same"
        return f"{self.theirs}: {self.mean:.2f} ({by_task}; {texts})"


def duel(here: list[Answer], ours: str, theirs: str) -> Duel:
    """Compare two that answered all of these."""
    rivals, ratios = runs_of(here, theirs), dict[str, list[float]]()
    own = [a for a in here if a.contender == ours and rivals[a.key].tps]
    for answer in own:
        ratios.setdefault(answer.task, []).append(answer.run.tps / rivals[answer.key].tps)
    alike = sum(a.run.text == rivals[a.key].text for a in own)
    return Duel(theirs, [median(each) for each in ratios.values()], alike, len(own))


def rates(found: list[Answer]) -> str:
    """Return our tokens/s over a peer's in the same round, and what two plain runs differ by."""
    lines = [""]
    names = {a.contender for a in found}
    tables = list(dict.fromkeys((a.quant, a.temperature) for a in found))
    for ours, rivals in (rivalry for rivalry in RIVALS if names.issuperset(rivalry[1])):
        better = "the better of both, " if len(rivals) > 1 else ""
        for quant, temperature in tables:
            here = [a for a in found if (a.quant, a.temperature) == (quant, temperature)]
            duels = [duel(here, ours, theirs) for theirs in rivals]
            hardest = min(duels, key=lambda each: each.mean)
            where = f"{quant}, T {temperature:g}: tokens/s of {ours} over"
            lines.append(f"{where} {better}{hardest}")
    if names.issuperset(PLAIN):
        lines += [two_plain_runs(found, quant) for quant in dict.fromkeys(q for q, _ in tables)]
    return "\n".join(lines)


def two_plain_runs(found: list[Answer], quant: str) -> str:
    """Return how far plain decoding is from plain decoding, which no drafter has a part in."""
    ours, theirs = (runs_of([a for a in found if a.quant == quant], name) for name in PLAIN)
    ratios = [run.tps / theirs[key].tps for key, run in ours.items() if theirs[key].tps]
    single = f"{min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} answers"
    what = f"{quant}: what two plain runs differ by, {' over '.join(PLAIN)}"
    return f"{what}: {spread(ratios)}, {single}"


def verdict(found: list[Answer]) -> str:
    """Return what makes the figures believable: agreement, length, variety, raw plain rates."""
    lines = ["", *agreement(found)]
    plain = list(runs_of(found, "none").values())
    lines.append(f"shortest answer {min(run.n_tokens for run in plain)} tokens")
    words = [variety(list(map(hash, run.text.split()))) for run in plain]
    lines.append(f"distinct 4-grams of words: least {min(words):.2f}, median {median(words):.2f}")
    auto = [run for run in runs_of(found, "auto").values() if run.steps]
    if auto:
        spent = median(1e6 * run.overhead_s / run.steps for run in auto)
        lines.append(f"outside llama.cpp, auto: {spent:.0f} µs a step (median)")
    return "\n".join(lines)


def agreement(found: list[Answer]) -> list[str]:
    """Return how many texts are those of our plain decoding: of all at T 0, and of the seeded ones.

    Another program draws other tokens from the same seed, so only ours can be held to it there.
    """
    plain, lines = runs_of(found, "none"), []
    kinds = {
        "greedy": [a for a in found if a.temperature == 0.0],
        "seeded": [a for a in found if a.temperature > 0.0],
    }
    for kind, answers in kinds.items():
        for name in dict.fromkeys(a.contender for a in answers if a.contender != "none"):
            own = runs_of(answers, name)
            apart = [(run, plain[key]) for key, run in own.items() if run.text != plain[key].text]
            wanted = "plain's" if kind == "greedy" or name in OURS else "ours"
            line = f"{kind} text as {wanted}, {name}: {len(own) - len(apart)} of {len(own)}"
            if apart and name in OURS:
                tied = sum(part_at_near_tie(*pair) for pair in apart)
                line += f", {tied} of the others from a near tie on"
            lines.append(line)
    return lines


def part_at_near_tie(run: Run, other: Run) -> bool:
    """Return whether the first token that differs was nearly another in either of them."""
    at = common_prefix(run.token_ids, other.token_ids)
    return at in run.near_ties or at in other.near_ties


def as_json(found: list[Answer], swept: Mapping[str, Swept]) -> str:
    """Return everything."""
    sweeps = {quant: asdict(each) for quant, each in swept.items()}
    return json.dumps({"date": now(), "swept": sweeps, "answers": [asdict(a) for a in found]})
