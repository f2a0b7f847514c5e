"""How far a lookup can be ahead of llama-cpp-python's: `python -m tests.lab.lookup_bound`.

Replays the answers that tests.lab.oracle recorded, at the costs that it measured: with our lookup,
alone and with a memory of all other conversations that have nothing in common with this one; with
llama-cpp-python's own (its guesses, a forward over all of them), 10 at a time, as it does by
itself, and 2, as its pages say for CPUs; and with hindsight, which of our lookup's guesses verifies
at every place as many as are best. What hindsight reaches bounds what any policy could make of
these guesses, without a memory. The better of llama-cpp-python's is the one with the higher average
of its table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

from engine.drafting.automaton import Automaton
from tests.lab.compared import LOOKUPS
from tests.lab.oracle import LOOKUP, RECORDED, Contestant, best_s
from tests.lab.replaying import Machine
from tests.lab.traces import NEVER, Recording, Trace

COMMON = 20
"""Tokens in a row: who shares so many with an answer may hold it."""
COLUMNS = ("lookup", "with a memory", "hindsight")


@dataclass(frozen=True, slots=True)
class Row:
    """Speed-ups over plain decoding; bindings: as in LOOKUPS."""

    name: str
    ours: float
    with_memory: float
    hindsight: float
    bindings: tuple[float, ...]


def bindings_s(trace: Trace, machine: Machine, guessed: int) -> float:
    """Return the time that llama-cpp-python's loop takes behind the first token."""
    guess = LlamaPromptLookupDecoding(num_pred_tokens=guessed)
    text = [*trace.prompt, *trace.tokens]
    at, spent = len(trace.prompt) + 1, 0.0
    while at < len(text):
        draft = guess(np.array(text[:at], dtype=np.intc)).tolist()
        spent += machine.target_s[len(draft) + 1]
        coming = text[at : at + len(draft)]
        wrong = (i for i, token in enumerate(coming) if token != draft[i])
        at += next(wrong, len(coming)) + 1
    return spent


def hindsight_s(trace: Trace, machine: Machine) -> float:
    """Return the least time with our lookup's right guesses alone."""
    mute = [replace(c, tokens=(NEVER,) * len(c.tokens)) for c in trace.model]
    return best_s(replace(trace, model=tuple(mute)), machine)


def memory_of_others(trace: Trace, traces: Sequence[Trace]) -> Automaton:
    """Return a memory of the conversations that share no run of COMMON tokens with this answer."""
    memory, own = Automaton(), _runs(trace.tokens)
    told: set[tuple[int, ...]] = set()
    for other in traces:
        text = other.prompt + other.tokens
        if other.prompt != trace.prompt and text not in told and not own & _runs(text):
            told.add(text)
            memory.start_document()
            memory.extend(text)
    return memory


def _runs(tokens: Sequence[int]) -> set[tuple[int, ...]]:
    return {tuple(tokens[at : at + COMMON]) for at in range(len(tokens) - COMMON + 1)}


def rows(recording: Recording, machine: Machine) -> Iterator[Row]:
    """Yield a row for each temperature and task."""
    in_order = sorted(recording.traces, key=lambda trace: trace.temperature)
    for temperature, of_temperature in groupby(in_order, lambda trace: trace.temperature):
        ours, remembering = Contestant(machine, LOOKUP), Contestant(machine, LOOKUP)
        for task, of_task in groupby(of_temperature, lambda trace: trace.task):
            traces = list(of_task)
            remembered = [(t, memory_of_others(t, recording.traces)) for t in traces]
            plain = machine.target_s[1] * sum(len(trace.tokens) - 1 for trace in traces)
            theirs = (sum(bindings_s(t, machine, n) for t in traces) for n in LOOKUPS.values())
            yield Row(
                f"{task} {temperature:g}",
                plain / sum(ours.seconds(trace) for trace in traces),
                plain / sum(remembering.seconds(t, memory) for t, memory in remembered),
                plain / sum(hindsight_s(trace, machine) for trace in traces),
                tuple(plain / seconds for seconds in theirs),
            )


def main() -> None:
    """Replay and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=Path, default=RECORDED, help="of tests.lab.oracle")
    traces = parser.parse_args().traces
    if not traces.exists():
        parser.error(f"{traces} does not exist; `python -m tests.lab.oracle` records it")
    print_tables(msgspec.json.decode(traces.read_bytes(), type=Recording))


def print_tables(recording: Recording) -> None:
    """Print a table for each pair's costs."""
    for name, measured in recording.costs.items():
        found = list(rows(recording, Machine(measured)))
        found.append(average(found))
        best = max(range(len(LOOKUPS)), key=found[-1].bindings.__getitem__)
        columns = (*COLUMNS, *LOOKUPS, "lookup / bindings", "lookup / better", "hindsight / better")
        print(f"\nAt the costs of {name}, over plain decoding:\n")
        print(f"| task | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
        for row in found:
            default, better = row.bindings[0], row.bindings[best]
            ratios = (row.ours / default, row.ours / better, row.hindsight / better)
            figures = (row.ours, row.with_memory, row.hindsight, *row.bindings, *ratios)
            print(f"| {row.name} | {' | '.join(f'{figure:.2f}' for figure in figures)} |")
        print(f"\nthe better of the bindings: {list(LOOKUPS)[best]}")


def average(found: Sequence[Row]) -> Row:
    """Return the mean of all rows."""
    ours, with_memory, hindsight = (
        fmean(getattr(row, name) for row in found) for name in ("ours", "with_memory", "hindsight")
    )
    bindings = zip(*(row.bindings for row in found), strict=True)
    return Row("all", ours, with_memory, hindsight, tuple(map(fmean, bindings)))


if __name__ == "__main__":
    main()
