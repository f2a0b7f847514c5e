"""Time and memory outside llama.cpp: `python -m tests.lab.overhead`.

A step's time outside llama.cpp at draft length 6 and in plain decoding, asked through the engine
process like any answer; and what that process holds beyond weights, KV cache and compute buffers.
The target sweeps a gigabyte in every step, so all of this runs from cold caches.

llama.cpp's log has the sizes of its buffers, but not how much of them was ever touched. So small
mappings count with what is resident of them; of the large ones, which the buffers are in, what
they are larger than all buffers together counts as if all of it were resident: an upper bound.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import psutil

from engine import EngineClient, Finished, Message, PairSettings, SamplingSettings
from tests.lab.contenders import N_CTX, THREADS, TOP_K
from tests.lab.inflate import lab_pair
from tests.pair import load

DRAFT_LENGTH = 6
N = 150
QUESTION = [Message(role="user", content="What is in the module os?")]
TEMPERATURES = (0.0, 0.8)
BUFFER = re.compile(r"(\S+) +(?:model|KV|RS|compute|output) +buffer size = +([\d.]+) MiB")
MAPPED = "Mapped"
"""What llama.cpp calls weights that are the file itself."""
ANONYMOUS = ("", "[anon]", "[heap]")
LARGE = 8 * 2**20
"""Bytes from which on a mapping may be a buffer of llama.cpp."""


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    pair = lab_pair()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "engine.log"
        client = EngineClient(log)
        settings = PairSettings(
            target=str(pair.target_q8_0),
            draft=str(pair.draft),
            n_ctx=N_CTX,
            threads=THREADS,
            draft_tokens=DRAFT_LENGTH,
        )
        try:
            ready = await load(client, settings)
            print(f"vocabulary {ready.n_vocab}, draft length {DRAFT_LENGTH}, top-k {TOP_K}")
            for temperature in TEMPERATURES:
                for drafter in ("auto", "draft_model", "lookup", "none"):
                    times = [
                        await step_us(client, drafter, temperature) for _ in range(args.rounds)
                    ]
                    spread = f"{min(times):.0f} to {max(times):.0f}"
                    print(f"T {temperature} {drafter:12} {median(times):5.0f} us a step ({spread})")
            print(memory(client, log, (pair.target_q8_0, pair.draft)))
        finally:
            await client.close()


async def step_us(client: EngineClient, drafter: str, temperature: float) -> float:
    """Return the microseconds outside llama.cpp of a step of one answer."""
    sampling = SamplingSettings(temperature=temperature, top_k=TOP_K, seed=1)
    last = None
    async for event in client.ask(QUESTION, sampling, N, drafter=drafter):
        last = event
    assert isinstance(last, Finished)
    return 1e6 * last.stats.engine_overhead_s / last.stats.steps


def memory(client: EngineClient, log: Path, weights: Iterable[Path]) -> str:
    """Say what the engine process holds, and what of it llama.cpp does not account for."""
    assert client.pid is not None
    files = {str(path.resolve()) for path in weights}
    small, large, large_size = 0, 0, 0
    for mapping in psutil.Process(client.pid).memory_maps(grouped=False):
        resident = mapping.private_clean + mapping.private_dirty
        if mapping.path in ANONYMOUS and mapping.size >= LARGE:
            large, large_size = large + resident, large_size + mapping.size
        elif mapping.path not in files:
            small += resident
    buffers = BUFFER.findall(log.read_text(errors="replace"))
    sizes = [2**20 * float(size) for name, size in buffers if MAPPED not in name]
    known = sum(size for size in sizes if size >= LARGE)  # smaller ones are in small mappings
    beyond = (small + min(large, max(0.0, large_size - known))) / 2**20
    known /= 2**20
    return f"llama.cpp's large buffers {known:.0f} MiB, beyond them at most {beyond:.0f} MiB"


if __name__ == "__main__":
    asyncio.run(main())
