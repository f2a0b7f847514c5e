"""How near the policy comes to the best choices that hindsight could have made.

    python -m tests.lab.oracle [--record] [--source MODEL | --model M --model-draft D]
        [--set NAME] [--items N] [--costs NAME] [--draft-cost K] [--json FILE]

Answers of a task set are recorded once (traces.py), by the embedded pair, a real model and its
draft (pairs.py) or any other pair, at the costs of the first two's inflated targets, and replayed
on a simulated clock: by the policy, by fixed lengths and by single drafters. The oracle knows the
answer: it drafts right tokens only, from whoever has them, and of all ways through the answer it
takes the fastest. Nothing that drafts with these drafters at these costs is faster. All others know
how long the answer may be, not where it ends. Printed are speed-ups over plain decoding, and the
share of the oracle's rate that the policy reaches.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS
from engine.drafters.lookup import Lookup
from engine.drafting.automaton import Automaton
from engine.drafting.growing import Growing
from engine.policy.experience import Experience
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.policy.measured import Measured
from engine.types import NO_DRAFT, Draft, Policy, Step
from tests.lab import environment
from tests.lab import traces as lab
from tests.lab.pairs import lab_pair, real_pair
from tests.lab.replaying import Machine, Script, replay
from tests.lab.traces import DEPTH, PREDICT, Recording, Trace
from tests.pair import DRAFT, TARGET

RECORDED = user_cache_path("slipstream") / "lab" / "traces.json"
BOTH, MODEL, LOOKUP = ("lookup", "model"), ("model",), ("lookup",)
P_MIN, P_MIN_LENGTH = 0.75, 16

Floats = NDArray[np.float64]


class SureAllowance(FixedAllowance):
    """Up to `limit` tokens, as long as the drafter is sure: llama.cpp's --draft-p-min."""

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Count them; the first in doubt is the last."""
        super().take(drafter, confidences, lag)
        if min(confidences) < P_MIN:
            self.limit = self._taken

    def keep(self, proposed: Draft) -> int:
        """Return all but the token in doubt."""
        return sum(confidence >= P_MIN for confidence in proposed.confidences)


class SureLength(FixedLength):
    """A fixed length with SureAllowance."""

    def allow(self, room: int, depth: int) -> SureAllowance:
        """Grant the fixed length, or what there is room for."""
        return SureAllowance(max(0, min(P_MIN_LENGTH, room)))


def best_s(trace: Trace, machine: Machine) -> float:
    """Return the least time that the answer behind its first token can be made in.

    Backwards over the answer's tokens. The state is how many tokens the draft model has to
    evaluate before its next pick; vectors are over that, [1 … MOST_ROWS]. A wider batch that costs
    less is granted to shorter drafts too, and so are ways to split the draft model's forwards.
    """
    n = len(trace.tokens)
    target = list(np.minimum.accumulate(machine.target_s[:0:-1])[::-1])
    draft = _least_split(machine.draft_s)
    later = np.minimum(np.arange(MOST_ROWS + 1) + 1, MOST_ROWS)  # one token more to evaluate
    looked_up = lookup_hits(trace)
    hits = [
        found.tokens[0] == token for found, token in zip(trace.model, trace.tokens, strict=True)
    ]
    rest = np.zeros((n + 1, MOST_ROWS + 1))
    for t in reversed(range(n)):
        most = min(DEPTH, n - 1 - t)
        reach = next((j for j in range(most) if not (looked_up[t][j] or hits[t + j])), most)
        best: Floats = target[reach] + rest[t + 1 + reach][later]
        for j in reversed(range(reach)):
            ways = [target[j] + rest[t + 1 + j][later]]
            if looked_up[t][j]:
                ways.append(best[later])
            if hits[t + j]:
                ways.append(draft + best[1])
            best = np.minimum.reduce(ways)
        rest[t] = best
    return float(rest[1][2])  # the prompt's last token and the first one are to be evaluated


def _least_split(draft_s: Sequence[float]) -> Floats:
    """Return the least time to evaluate 0, 1, … tokens, in one forward or several."""
    least = list(np.minimum.accumulate(draft_s[::-1])[::-1])
    for n in range(2, len(least)):
        least[n] = min(least[n], *(least[k] + least[n - k] for k in range(1, n)))
    return np.array(least)


def lookup_hits(trace: Trace) -> list[list[bool]]:
    """Return for each step's start t, and j right tokens drafted behind it, whether the lookup can
    have the next one right: [len(tokens)][DEPTH].
    """
    lookup, context = Lookup(), list(trace.prompt)
    lookup.begin(context, Script(trace))
    hits = []
    for t, token in enumerate(trace.tokens):
        coming = trace.tokens[t : t + DEPTH]
        hits.append([False] * DEPTH)
        growing = Growing()
        for j, drafted in enumerate(coming):
            allowance = FixedAllowance(DEPTH)
            if not hits[t][j] and lookup.outlook(context, growing, allowance) > 0.0:
                found = Growing()
                lookup.extend(context, found, allowance)
                for k, guess in enumerate(found.tokens[: len(coming) - j], j):
                    if guess != coming[k]:
                        break
                    hits[t][k] = True
            growing.add(lookup.name if hits[t][j] else "", drafted, 1.0)
        lookup.observe(Step(NO_DRAFT, NO_DRAFT, (token,), 0, 0, (), 0.0, 0.0))
        context.append(token)
    return hits


class Contestant:
    """A policy that makes one answer after another, with what it learns from them."""

    def __init__(self, machine: Machine, names: Sequence[str], fixed: Policy | None = None) -> None:
        """fixed: a policy that learns nothing; None: the measuring one, new to the machine."""
        self._machine, self._names, self._fixed = machine, names, fixed
        self._curves = CostCurves(machine.measured)
        self._experience = Experience()

    def seconds(self, trace: Trace, memory: Automaton | None = None) -> float:
        """Make the answer, and return the time it took behind its first token."""
        policy = self._fixed or Measured(self._experience, self._curves)
        return sum(s.step_s for s in replay(trace, self._machine, policy, self._names, memory))


def contestants(machine: Machine) -> dict[str, Contestant]:
    """Return all of them, with nothing learnt yet."""
    return {
        **{f"fixed {n}": Contestant(machine, BOTH, FixedLength(n)) for n in (3, 5, 8)},
        "p-min": Contestant(machine, MODEL, SureLength(P_MIN_LENGTH)),
        "lookup": Contestant(machine, LOOKUP),
        "model": Contestant(machine, MODEL),
        "policy": Contestant(machine, BOTH),
    }


@dataclass(frozen=True, slots=True)
class Row:
    """One task at one temperature, or all; seconds by contestant. First tokens do not count."""

    task: str
    temperature: float | None
    tokens: int
    seconds: dict[str, float]

    def speedup(self, name: str) -> float:
        """Return the rate over that of plain decoding."""
        return self.seconds["plain"] / self.seconds[name]

    @property
    def share(self) -> float:
        """The policy's rate over the oracle's."""
        return self.seconds["oracle"] / self.seconds["policy"]


def compare(traces: Sequence[Trace], machine: Machine) -> list[Row]:
    """Return a row for each task and temperature, and one for all."""
    rows = []
    by_temperature = sorted(traces, key=lambda trace: trace.temperature)
    for temperature, of_temperature in groupby(by_temperature, lambda trace: trace.temperature):
        playing = contestants(machine)  # what is learnt at one temperature says nothing of others
        for task, of_task in groupby(of_temperature, lambda trace: trace.task):
            answers = list(of_task)
            n = sum(len(trace.tokens) - 1 for trace in answers)
            seconds = {"plain": n * machine.target_s[1]}
            for name, contestant in playing.items():
                seconds[name] = sum(contestant.seconds(trace) for trace in answers)
            seconds["oracle"] = sum(best_s(trace, machine) for trace in answers)
            rows.append(Row(task, temperature, n, seconds))
    sums = {name: sum(row.seconds[name] for row in rows) for name in rows[0].seconds}
    return [*rows, Row("all", None, sum(row.tokens for row in rows), sums)]


def print_rows(rows: Sequence[Row]) -> None:
    """Print speed-ups over plain decoding, and the policy's share of the oracle's rate; of `all`
    as if it were one answer, where a slow task counts for most.
    """
    names = [name for name in rows[0].seconds if name != "plain"]
    print(f"| task | tokens | {' | '.join(names)} | share |\n|{'---|' * (len(names) + 3)}")
    for row in rows:
        name = row.task if row.temperature is None else f"{row.task} {row.temperature:g}"
        speedups = " | ".join(f"{row.speedup(name):.2f}" for name in names)
        print(f"| {name} | {row.tokens} | {speedups} | {row.share:.3f} |")
    print(f"\nmean of the {len(rows) - 1} shares: {fmean(row.share for row in rows[:-1]):.3f}")


def recorded(args: argparse.Namespace) -> Recording:
    """Return the recording, made now if that was asked for or there is none."""
    if not args.record and args.traces.exists():
        return msgspec.json.decode(args.traces.read_bytes(), type=Recording)
    asked, timed = pairs_of(args)
    costs = {Path(target).stem: lab.measure_costs(target, draft) for target, draft in timed}
    traces = lab.record(*asked, args.predict, args.set, args.items)
    recording = Recording(costs, tuple(traces))
    args.traces.parent.mkdir(parents=True, exist_ok=True)
    args.traces.write_bytes(msgspec.json.encode(recording))
    return recording


def pairs_of(args: argparse.Namespace) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """Return the pair that answers, and those whose costs are measured."""
    if args.model:
        asked = (args.model, args.model_draft)
        return asked, [asked]
    pair = real_pair(args.source) if args.source else lab_pair()
    target, draft = (args.source, pair.draft) if args.source else (TARGET, DRAFT)
    inflated = (pair.target_q4_k_m, pair.target_q8_0)
    return (str(target), str(draft)), [(str(path), str(pair.draft)) for path in inflated]


def dearer(measured: Measurement, times: float) -> Measurement:
    """Return the costs with a draft model that costs so many times as much."""
    draft_s = {n: times * seconds for n, seconds in measured.draft_s.items()}
    return replace(measured, draft_s=draft_s)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="record anew")
    parser.add_argument("--traces", type=Path, default=RECORDED, help="the recording")
    parser.add_argument("--source", type=Path, help="a small Llama model, not the embedded pair")
    parser.add_argument("--model", help="any pair, at its own costs")
    parser.add_argument("--model-draft")
    parser.add_argument("--set", default="demo", help="the tasks to record")
    parser.add_argument("--items", type=int, help="so many of each, the first (default: all)")
    parser.add_argument("--predict", type=int, default=PREDICT)
    parser.add_argument("--costs", help="a recorded pair's name; all of them without it")
    parser.add_argument("--draft-cost", type=float, default=1.0, help="times the draft model's")
    parser.add_argument("--noise", type=float, default=0.0, help="of a forward, in logarithms")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if bool(args.model) != bool(args.model_draft):
        parser.error("--model and --model-draft come together")
    if (args.model or args.source or args.set != "demo") and args.traces == RECORDED:
        parser.error("give --traces FILE, where this recording is kept")
    return args


def main() -> None:
    """Record what is missing, replay, print the tables, and write the JSON that was asked for."""
    args = arguments()
    environment.enter()
    from tests.lab.scenarios import scenarios  # which is built on what is here

    recording, written = recorded(args), {}
    for name in [args.costs] if args.costs else recording.costs:
        machine = Machine(dearer(recording.costs[name], args.draft_cost), args.noise)
        rows = compare(recording.traces, machine)
        figures = scenarios(recording.traces, machine)
        print(f"\nAt the costs of {name}:\n")
        print_rows(rows)
        print()
        for figure, value in figures.items():
            print(f"{figure}: {value:.3f}")
        written[name] = {"rows": [asdict(row) for row in rows], "scenarios": figures}
    if args.json:
        args.json.write_text(json.dumps(written, indent=2))


if __name__ == "__main__":
    main()
