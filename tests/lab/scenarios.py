"""What made-up drafts and changes of topic cost the policy, replayed from recorded answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from statistics import fmean

from tests.lab import traces as lab
from tests.lab.oracle import BOTH, MODEL, Contestant, best_s
from tests.lab.replaying import Machine
from tests.lab.traces import Trace

ADAPTED = 3
"""Times that an answer is made before the policy counts as adapted to it."""


def scenarios(traces: Sequence[Trace], machine: Machine) -> dict[str, float]:
    """Return the figures of all scenarios, by name. Nothing is known before first answers."""
    figures = {**useless_drafts(traces, machine), **perfect_drafts(traces, machine)}
    for temperature in sorted({trace.temperature for trace in traces}):
        found = [trace for trace in traces if trace.temperature == temperature]
        switches = list(switch_costs(found, machine))
        if switches:
            name = f"cost of a switch between tasks at {temperature}"
            figures[f"{name}, mean of {len(switches)}"] = fmean(switches)
            figures[f"{name}, worst"] = max(switches)
        longest = sorted(found, key=lambda trace: -len(trace.tokens))[:3]
        if len(longest) == 3:
            figures[f"cost of a draft that turns useless and good again at {temperature}"] = (
                switch_cost(*longest, machine)
            )
    return figures


def useless_drafts(traces: Sequence[Trace], machine: Machine) -> dict[str, float]:
    """Return the shares of plain decoding's rate that are left with drafts that are never right."""
    made: dict[str, Callable[[Trace], Trace]] = {
        "useless draft, as sure as before": lab.useless,
        "useless draft, 0.9 sure": lambda trace: lab.useless(trace, 0.9),
    }
    figures = {}
    for name, change in made.items():
        paces = _paces(Contestant(machine, MODEL), [change(trace) for trace in traces])
        figures[f"{name}, first answer: share of plain"] = machine.target_s[1] / paces[0]
        figures[f"{name}: share of plain"] = machine.target_s[1] / fmean(paces)
    return figures


def perfect_drafts(traces: Sequence[Trace], machine: Machine) -> dict[str, float]:
    """Return the shares of the oracle's rate that are reached with drafts that are always right."""
    right = [lab.perfect(trace) for trace in traces]
    best = [best_s(trace, machine) / (len(trace.tokens) - 1) for trace in right]
    paces = _paces(Contestant(machine, BOTH), right)
    return {
        "perfect draft, first answer: share of oracle": best[0] / paces[0],
        "perfect draft: share of oracle": fmean(best) / fmean(paces),
    }


def switch_cost(good: Trace, other: Trace, back: Trace, machine: Machine) -> float:
    """Return what it costs to notice that the draft became useless for the second answer, and good
    again for the third, as a share of the time that an adapted policy needs.
    """
    return _cost([good, lab.permuted(other), back], machine)


def switch_costs(traces: Sequence[Trace], machine: Machine) -> Iterator[float]:
    """Yield what it costs to change the topic in mid-answer, from every task to every other and on
    to a third, as a share of the time that policies need which are used to each.
    """
    by_task = {trace.task: trace for trace in reversed(traces)}
    tasks = list(by_task)
    if len(tasks) < 3:
        return
    for first, second in permutations(tasks, 2):
        third = next(task for task in _behind(tasks, second) if task != first)
        yield _cost([by_task[task] for task in (first, second, third)], machine)


def _behind(tasks: Sequence[str], task: str) -> Sequence[str]:
    """Return the other tasks, in a circle from the one behind this."""
    at = tasks.index(task) + 1
    return [*tasks[at:], *tasks[: at - 1]]


def _cost(parts: Sequence[Trace], machine: Machine) -> float:
    """Return by how much longer the joined answers take who is used to the first of them, than who
    is used to each.
    """
    paces = [_paces(_adapted(machine, part), [part])[0] for part in lab.segments(parts)]
    tokens = [len(part.tokens) for part in parts]
    adapted = sum(pace * n for pace, n in zip(paces, tokens, strict=True)) - paces[0]
    return _adapted(machine, parts[0]).seconds(lab.joined(parts)) / adapted - 1.0


def _adapted(machine: Machine, trace: Trace) -> Contestant:
    policy = Contestant(machine, BOTH)
    for _ in range(ADAPTED):
        policy.seconds(trace)
    return policy


def _paces(policy: Contestant, traces: Sequence[Trace]) -> list[float]:
    """Return the seconds per token of each answer."""
    return [policy.seconds(trace) / (len(trace.tokens) - 1) for trace in traces]
