"""What huge pages bring: `python -m tests.lab.pages`.

Two engines hold the same pair, one with its weights in huge pages (engine/process/environment.py),
one without. They take turns with the same answers; the ratios of their decode rates are medians.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from engine.process.environment import PAGES
from tests.lab.contenders import THREADS, Engine, Ours
from tests.lab.pairs import QUANTS, lab_pair

N = 96
QUESTION = (("user", "What is in the module os?"),)
DRAFTERS = ("none", "lookup", "auto")
HUGE = re.compile(r"AnonHugePages: +(\d+) kB")


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quants", default="q8_0,q4_k_m")
    parser.add_argument("--threads", type=int, default=THREADS)
    args = parser.parse_args()
    pair = lab_pair()
    targets = {quant: pair.target(quant) for quant in QUANTS}
    for quant in args.quants.split(","):
        async with AsyncExitStack() as stack:
            small = await started(
                stack, targets[quant], pair.draft, args.threads, dict.fromkeys(PAGES, "")
            )
            huge = await started(stack, targets[quant], pair.draft, args.threads, PAGES)
            sizes = " and ".join(f"{huge_mib(e.client.pid)} MiB" for e in (small, huge))
            print(f"{quant}: {sizes} in huge pages")
            for drafter in DRAFTERS:
                ratio = await compared(Ours(small, drafter), Ours(huge, drafter), args.rounds)
                print(f"{quant} {drafter}: {ratio:.3f} (median of {args.rounds} pairs)", flush=True)


async def started(
    stack: AsyncExitStack, target: Path, draft: Path, threads: int, pages: dict[str, str]
) -> Engine:
    """Start an engine with these pages; the stack ends it."""
    os.environ.update(pages)
    engine = Engine(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "engine.log")
    stack.push_async_callback(engine.client.close)
    await engine.start(target, draft, threads)
    return engine


def huge_mib(pid: int | None) -> int:
    """Return how much of a process's memory is in huge pages."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(kib) for kib in HUGE.findall(rollup)) // 1024


async def compared(small: Ours, huge: Ours, rounds: int) -> float:
    """Return the rate with huge pages over that without."""
    ratios = []
    for i in range(-1, rounds):
        pair = (small, huge) if i % 2 else (huge, small)  # whoever is first finds the caches cold
        rates = {ours: (await ours.answer(QUESTION, 0.0, N, 1)).tps for ours in pair}
        if i >= 0:
            ratios.append(rates[huge] / rates[small])
    return median(ratios)


if __name__ == "__main__":
    asyncio.run(main())
