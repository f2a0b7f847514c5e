"""Time and memory outside llama.cpp: `python -m tests.lab.overhead`.

A step's time outside llama.cpp at draft length 6 and in plain decoding, asked through the engine
process like any answer; and what that process holds beyond weights, KV cache and compute buffers.
The lab pair's target sweeps its weights in every step, a gigabyte or, with --quant q4_k_m, 0.65, so
all of this runs from cold caches; with the embedded pair (--embedded) from warmer ones. --task asks
something else: rows that leave a choice cost more, and creative text has most of them.

llama.cpp's log has the sizes of its buffers. Weights, KV caches and recurrent states are written
whole when they are made, so all of them is resident; of what it computes in, nobody says how much
was ever touched, so all that is counts as ours: an upper bound.
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

from app.bench.taskset import builtin
from engine import EngineClient, Finished, Message, PairSettings, SamplingSettings
from tests.lab.contenders import N_CTX, THREADS, TOP_K
from tests.lab.inflate import QUANTS, lab_pair
from tests.pair import DRAFT, TARGET, load

DRAFT_LENGTH = 6
N = 150
TEMPERATURES = (0.0, 0.8)
BUFFER = re.compile(r"(\S+) +(?:model|KV|RS) +buffer size = +([\d.]+) MiB")
MAPPED = "Mapped"
"""What llama.cpp calls weights that are the file itself."""


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--embedded", action="store_true", help="the embedded pair, not the lab's")
    parser.add_argument("--quant", choices=QUANTS, default="q8_0")
    tasks = [task.name for task in builtin("demo").tasks]
    parser.add_argument("--task", choices=tasks, default="chat", help="its first prompt is asked")
    args = parser.parse_args()
    pair = (TARGET, DRAFT) if args.embedded else (lab_pair().target(args.quant), lab_pair().draft)
    target, draft = pair
    messages = first_prompt(args.task)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "engine.log"
        client = EngineClient(log)
        settings = PairSettings(
            target=str(target),
            draft=str(draft),
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
                        await step_us(client, messages, drafter, temperature)
                        for _ in range(args.rounds)
                    ]
                    spread = f"{min(times):.0f} to {max(times):.0f}"
                    print(f"T {temperature} {drafter:12} {median(times):5.0f} us a step ({spread})")
            print(memory(client, log, pair))
        finally:
            await client.close()


def first_prompt(task: str) -> list[Message]:
    """Return the first prompt of a task of the set that the pair was trained for."""
    found = next(known for known in builtin("demo").tasks if known.name == task)
    return [Message(role=role, content=content) for role, content in found.items[0].messages]


async def step_us(
    client: EngineClient, messages: list[Message], drafter: str, temperature: float
) -> float:
    """Return the microseconds outside llama.cpp of a step of one answer."""
    sampling = SamplingSettings(temperature=temperature, top_k=TOP_K, seed=1)
    last = None
    async for event in client.ask(messages, sampling, N, drafter=drafter):
        last = event
    assert isinstance(last, Finished)
    return 1e6 * last.stats.engine_overhead_s / last.stats.steps


def memory(client: EngineClient, log: Path, weights: Iterable[Path]) -> str:
    """Say what the engine process holds of its own, beside what llama.cpp filled."""
    assert client.pid is not None
    files = {str(path.resolve()) for path in weights}
    held = sum(
        mapping.private_clean + mapping.private_dirty
        for mapping in psutil.Process(client.pid).memory_maps(grouped=False)
        if mapping.path not in files
    )
    buffers = BUFFER.findall(log.read_text(errors="replace"))
    filled = sum(float(size) for name, size in buffers if MAPPED not in name)
    beyond = held / 2**20 - filled
    return f"weights, KV caches and states {filled:.0f} MiB, beyond them at most {beyond:.0f} MiB"


if __name__ == "__main__":
    asyncio.run(main())
