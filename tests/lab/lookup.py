"""What looking up the longest match costs, beside a rescan of the same tokens in the same run.

    python -m tests.lab.lookup [--tokens 100000] [--pairs 60] [--json FILE]

The text is the standard library's docstrings, each word and mark a token. A pair appends one token
and guesses eight: the automaton by one step, the rescan by numpy over sliding windows, for sizes
from 10 down to 1, as prompt lookup is commonly written. Medians; the ratio is what travels.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import sysconfig
import time
import tracemalloc
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from engine.drafting.automaton import Automaton

DRAFT = 8
LONGEST = 10
SKIPPED = {"site-packages", "dist-packages", "test", "tests"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> None:
    """Measure, print the table, and write the JSON that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5, help="how often the text is indexed")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    tokens = corpus(args.tokens + args.pairs)
    known, coming = tokens[: args.tokens], tokens[args.tokens :]
    index_s = statistics.median(seconds_to_index(known) for _ in range(args.rounds))
    size_bytes, n_states = size_of_index(known)
    step_s, guess_s, rescan_s = compare(known, coming)
    print(f"{len(known)} tokens, {len(set(known))} words, medians of {len(coming)} pairs")
    print("| what | cost |\n|---|---|")
    print(f"| index all of it | {index_s:.2f} s |")
    print(f"| memory of the index | {size_bytes / 1e6:.1f} MB, {n_states} states |")
    print(f"| guess {DRAFT} | {1e6 * guess_s:.1f} µs |")
    print(f"| append 1 and guess {DRAFT} | {1e6 * step_s:.1f} µs |")
    print(f"| rescan for the same | {1e6 * rescan_s:.0f} µs |")
    print(f"| ratio | {rescan_s / step_s:.0f} |")
    if args.json:
        names = ("tokens", "index_s", "size_bytes", "guess_s", "step_s", "rescan_s", "ratio")
        values = (len(known), index_s, size_bytes, guess_s, step_s, rescan_s, rescan_s / step_s)
        args.json.write_text(json.dumps(dict(zip(names, values, strict=True)), indent=2))


def corpus(n_tokens: int) -> list[int]:
    """Return that many tokens of natural text; a word's number is its order of appearance."""
    words = chain.from_iterable(re.findall(r"\w+|[^\w\s]", text) for text in docstrings())
    ids: dict[str, int] = {}
    tokens = [ids.setdefault(word, len(ids)) for word in islice(words, n_tokens)]
    if len(tokens) < n_tokens:
        raise SystemExit(
            f"the standard library has {len(tokens)} tokens, {n_tokens} were asked for"
        )
    return tokens


def docstrings() -> Iterator[str]:
    """Yield the standard library's docstrings in the order of its files."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        if SKIPPED.isdisjoint(path.relative_to(root).parts):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, DOCUMENTED):
                    yield ast.get_docstring(node) or ""


def seconds_to_index(tokens: list[int]) -> float:
    """Return how long a new automaton takes for the tokens."""
    began = time.perf_counter()
    Automaton().extend(tokens)
    return time.perf_counter() - began


def size_of_index(tokens: list[int]) -> tuple[int, int]:
    """Return the bytes that an automaton of the tokens keeps, and its states."""
    tracemalloc.start()
    automaton = Automaton()
    automaton.extend(tokens)
    size_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size_bytes, automaton.states


def compare(known: list[int], coming: list[int]) -> tuple[float, float, float]:
    """Return median seconds of append and guess, of the guess alone, and of the rescan."""
    automaton = Automaton()
    automaton.extend(known)
    ids = np.array([*known, *coming], dtype=np.int32)
    steps, guesses, rescans = [], [], []
    for n, token in enumerate(coming, start=len(known) + 1):
        began = time.perf_counter()
        automaton.extend((token,))
        appended = time.perf_counter()
        automaton.cursor().guess(DRAFT)
        guessed = time.perf_counter()
        rescan(ids[:n])
        rescans.append(time.perf_counter() - guessed)
        steps.append(guessed - began)
        guesses.append(guessed - appended)
    return statistics.median(steps), statistics.median(guesses), statistics.median(rescans)


def rescan(ids: np.ndarray) -> np.ndarray:
    """Return what followed the first occurrence of the longest suffix that fits a window."""
    for size in range(min(LONGEST, len(ids) - 1), 0, -1):
        windows = np.lib.stride_tricks.sliding_window_view(ids[:-1], size)
        (starts,) = np.nonzero((windows == ids[-size:]).all(axis=1))
        if len(starts):
            return ids[starts[0] + size :][:DRAFT]
    return ids[:0]


if __name__ == "__main__":
    main()
