"""Plain decoding beside `llama-bench` on the same file: `python -m tests.lab.plain`.

Rounds alternate between llama-bench's token generation and an answer of ours without a drafter, of
as many tokens; the ratio is the median over rounds. Each round has a new engine process, as it has
a new llama-bench: the luck that a process has with the places of its memory stays with it for as
long as it lives. The goal is at least 0.98.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from engine.process.environment import environment
from tests.lab.contenders import N_CTX, THREADS, Engine, Ours, flash_attention
from tests.lab.pairs import QUANTS, lab_pair
from tests.lab.peers import peers
from tests.lab.scales import SCALES

N = 128
QUESTION = (("user", "What is in the module os?"),)


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", choices=sorted(SCALES), default="1b", help="of the lab pair")
    parser.add_argument("--quant", choices=QUANTS, default="q8_0")
    parser.add_argument(
        "--as-shipped", action="store_true", help="llama-bench without our environment"
    )
    args = parser.parse_args()
    told = {} if args.as_shipped else environment()
    pair = lab_pair(scale=args.scale)
    target = pair.target(args.quant)
    rates: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.rounds):
            own = await answered(target, pair.draft, Path(folder) / "engine.log")
            rates.append((own, bench(target, told)))
            print(f"ours {rates[-1][0]:.2f}, llama-bench {rates[-1][1]:.2f} tokens/s")
    ratio = median(own / theirs for own, theirs in rates)
    print(f"{args.quant}, context {N_CTX}: ratio {ratio:.3f} (median of {args.rounds})")


async def answered(target: Path, draft: Path, log: Path) -> float:
    """Return the tokens/s of plain decoding in a new engine process."""
    engine = Engine(log)
    try:
        await engine.start(target, draft)
        ours = Ours(engine, "none")
        await ours.answer(QUESTION, 0.0, 16, 1)
        run = await ours.answer(QUESTION, 0.0, N, 1)
    finally:
        await engine.client.close()
    return run.tps


def bench(target: Path, told: Mapping[str, str]) -> float:
    """Return llama-bench's tokens/s of token generation."""
    command = (str(peers().bench), "-m", str(target), "-p", "0", "-n", str(N), "-r", "1")
    options = ("-t", str(THREADS), "-fa", flash_attention(), "-o", "json")
    done = subprocess.run(
        (*command, *options),
        check=True,
        capture_output=True,
        env={**told, **os.environ},
    )
    found: float = json.loads(done.stdout)[0]["avg_ts"]
    return found


if __name__ == "__main__":
    asyncio.run(main())
