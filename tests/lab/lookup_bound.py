"""How far a lookup can be ahead of llama-cpp-python's: `python -m tests.lab.lookup_bound`.

Replays the answers that tests.lab.oracle recorded, at the costs that it measured: with our lookup,
alone and with a memory of all other conversations that have nothing in common with this one; with
llama-cpp-python's own (its guesses, a forward over all of them); and with hindsight, which of our
lookup's guesses verifies at every place as many as are best. What hindsight reaches bounds what any
policy could make of these guesses, without a memory.
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

from engine.automaton import Automaton
from tests.lab.oracle import LOOKUP, RECORDED, Contestant, best_s
from tests.lab.traces import NEVER, Machine, Recording, Trace

COMMON = 20
"""Tokens in a row: who shares so many with an answer may hold it."""
COLUMNS = ("lookup", "with a memory", "bindings", "hindsight")


@dataclass(frozen=True, slots=True)
class Row:
    """Speed-ups over plain decoding."""

    task: str
    temperature: float
    ours: float
    with_memory: float
    bindings: float
    hindsight: float


def bindings_s(trace: Trace, machine: Machine) -> float:
    """Return the time that llama-cpp-python's loop takes behind the first token."""
    guess, text = LlamaPromptLookupDecoding(), [*trace.prompt, *trace.tokens]
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
            yield Row(
                task,
                temperature,
                plain / sum(ours.seconds(trace) for trace in traces),
                plain / sum(remembering.seconds(t, memory) for t, memory in remembered),
                plain / sum(bindings_s(trace, machine) for trace in traces),
                plain / sum(hindsight_s(trace, machine) for trace in traces),
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
        print(f"\nAt the costs of {name}, over plain decoding:\n")
        print(f"| task | {' | '.join(COLUMNS)} | lookup / bindings | hindsight / bindings |")
        print(f"|{'---|' * (len(COLUMNS) + 3)}")
        for row in found:
            figures = (row.ours, row.with_memory, row.bindings, row.hindsight)
            _print(f"{row.task} {row.temperature:g}", *figures)
        names = ("ours", "with_memory", "bindings", "hindsight")
        _print("all", *(fmean(getattr(row, name) for row in found) for name in names))


def _print(name: str, ours: float, memory: float, bindings: float, hindsight: float) -> None:
    figures = (ours, memory, bindings, hindsight, ours / bindings, hindsight / bindings)
    print(f"| {name} | {' | '.join(f'{figure:.2f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
