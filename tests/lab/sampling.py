"""What drawing one token from one row costs, beside numpy's argmax of the same row in the same run.

    python -m tests.lab.sampling [--vocab 152064] [--rounds 300] [--json FILE]

Rows come in turn from a batch of eight, as verification meets them; each is shaped like a model's:
few likely tokens over a long tail. Medians over rounds; the ratio is what travels.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

from engine.sampling.sampler import Sampler
from engine.sampling.width_noise import REACHES, SAFETY, WidthNoise
from engine.settings import SamplingSettings

WHOLE = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
CASES: dict[str, dict[str, object]] = {
    "defaults": {},
    "greedy": {"temperature": 0.0},
    "top-k 40 alone": {**WHOLE, "top_k": 40},
    "min-p 0.05 alone": {**WHOLE, "min_p": 0.05},
    "top-p 0.95 alone": {**WHOLE, "top_p": 0.95},
    "top-p and min-p": {"top_k": 0},
    "typical-p 0.9 of top-k 40": {**WHOLE, "top_k": 40, "typical_p": 0.9},
    "typical-p 0.9 alone": {**WHOLE, "typical_p": 0.9},
    "no truncation": WHOLE,
    "defaults and penalties": {
        "repeat_penalty": 1.1,
        "presence_penalty": 0.2,
        "frequency_penalty": 0.1,
    },
}
ROWS = 8


def main() -> None:
    """Measure, print the table, and write the JSON that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vocab", type=int, default=152_064)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--tie-margin", type=float, default=0.0, help="count near-ties too")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = model_like(args.vocab)
    results = {name: measure(name, rows, args.rounds, args.tie_margin) for name in CASES}
    print(f"vocabulary {args.vocab}, medians of {args.rounds} rounds")
    print("| settings | one draw | argmax | ratio |\n|---|---|---|---|")
    for name, (draw_s, argmax_s) in results.items():
        times = f"{1e6 * draw_s:.0f} µs | {1e6 * argmax_s:.0f} µs"
        print(f"| {name} | {times} | {draw_s / argmax_s:.1f} |")
    if args.json:
        args.json.write_text(json.dumps(results, indent=2))


def model_like(n_vocab: int) -> np.ndarray:
    """Return ROWS rows whose probabilities fall with a power of their rank."""
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(n_vocab) for _ in range(ROWS)])
    noise = rng.normal(scale=0.6, size=ranks.shape)
    return (-1.6 * np.log1p(ranks) + noise).astype(np.float32)


def measure(name: str, rows: np.ndarray, rounds: int, tie_margin: float) -> tuple[float, float]:
    """Return the median seconds of one draw, and of an argmax of the same row just before."""
    noise = WidthNoise((tie_margin / SAFETY,) * len(REACHES))
    sampler = Sampler(SamplingSettings(seed=1, **CASES[name]), noise)  # type: ignore[arg-type]
    history = list(range(64))
    draws, argmaxes = [], []
    for n in range(rounds):
        row = rows[n % ROWS]
        began = time.perf_counter()
        row.argmax()
        between = time.perf_counter()
        sampler.draw(row, history, n)
        draws.append(time.perf_counter() - between)
        argmaxes.append(between - began)
    return statistics.median(draws), statistics.median(argmaxes)


if __name__ == "__main__":
    main()
