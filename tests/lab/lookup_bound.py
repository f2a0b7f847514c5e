"""How far a lookup can be ahead of llama-cpp-python's: `python -m tests.lab.lookup_bound`.

Replays the answers that tests.lab.oracle recorded, at the costs that it measured: with our lookup,
with llama-cpp-python's own (its guesses, a forward over all of them), and with hindsight, which of
our lookup's guesses verifies at every place as many as are best. What hindsight reaches bounds what
any policy could make of these guesses; earlier answers are not looked up.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

from tests.lab.oracle import LOOKUP, RECORDED, Contestant, best_s
from tests.lab.traces import NEVER, Machine, Recording, Trace


@dataclass(frozen=True, slots=True)
class Row:
    """Speed-ups over plain decoding."""

    task: str
    temperature: float
    ours: float
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


def rows(recording: Recording, machine: Machine) -> Iterator[Row]:
    """Yield a row for each temperature and task."""
    in_order = sorted(recording.traces, key=lambda trace: trace.temperature)
    for temperature, of_temperature in groupby(in_order, lambda trace: trace.temperature):
        ours = Contestant(machine, LOOKUP)
        for task, of_task in groupby(of_temperature, lambda trace: trace.task):
            traces = list(of_task)
            plain = machine.target_s[1] * sum(len(trace.tokens) - 1 for trace in traces)
            yield Row(
                task,
                temperature,
                plain / sum(ours.seconds(trace) for trace in traces),
                plain / sum(bindings_s(trace, machine) for trace in traces),
                plain / sum(hindsight_s(trace, machine) for trace in traces),
            )


def main() -> None:
    """Replay and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=Path, default=RECORDED, help="of tests.lab.oracle")
    recording = msgspec.json.decode(parser.parse_args().traces.read_bytes(), type=Recording)
    for name, measured in recording.costs.items():
        found = list(rows(recording, Machine(measured)))
        print(f"\nAt the costs of {name}, over plain decoding:\n")
        print("| task | lookup | bindings | hindsight | lookup / bindings | hindsight / bindings |")
        print(f"|{'---|' * 6}")
        for row in found:
            figures = (row.ours, row.bindings, row.hindsight)
            _print(f"{row.task} {row.temperature:g}", *figures)
        means = (fmean(getattr(r, n) for r in found) for n in ("ours", "bindings", "hindsight"))
        _print("all", *means)


def _print(name: str, ours: float, bindings: float, hindsight: float) -> None:
    shares = f"{ours / bindings:.2f} | {hindsight / bindings:.2f}"
    print(f"| {name} | {ours:.2f} | {bindings:.2f} | {hindsight:.2f} | {shares} |")


if __name__ == "__main__":
    main()
