"""Time and memory outside llama.cpp: `python -m tests.lab.overhead`.

A step's time outside llama.cpp at draft length 6 and in plain decoding, asked through the engine
process like any answer; then the same where the policy decides how much is drafted, as it does for
people, which is work of its own; and what that process holds beyond weights, KV cache and compute
buffers. An answer has the mean over its steps; printed are medians over answers.
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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

from app.bench.taskset import builtin
from engine import EngineClient, Finished, Message, PairSettings, SamplingSettings
from tests.lab.contenders import N_CTX, THREADS, TOP_K
from tests.lab.pairs import QUANTS, lab_pair
from tests.lab.scales import SCALES
from tests.pair import DRAFT, TARGET, load

DRAFT_LENGTH = 6
N = 150
TEMPERATURES = (0.0, 0.8)
BUFFER = re.compile(r"(\S+) +(?:model|KV|RS) +buffer size = +([\d.]+) MiB")
MAPPED = "Mapped"
"""What llama.cpp calls weights that are the file itself."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Microseconds outside llama.cpp in one answer, its steps, and the tokens that they drafted."""

    us: float
    steps: int
    drafted: int

    @property
    def per_step(self) -> float:
        """Microseconds of a step."""
        return self.us / self.steps


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--embedded", action="store_true", help="the embedded pair, not the lab's")
    parser.add_argument("--scale", choices=sorted(SCALES), default="1b", help="of the lab pair")
    parser.add_argument("--quant", choices=QUANTS, default="q8_0")
    tasks = [task.name for task in builtin("demo").tasks]
    parser.add_argument("--task", choices=tasks, default="chat", help="its first prompt is asked")
    args = parser.parse_args()
    if args.embedded:
        pair = TARGET, DRAFT
    else:
        lab = lab_pair(scale=args.scale)
        pair = lab.target(args.quant), lab.draft
    messages = first_prompt(args.task)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "engine.log"
        client = EngineClient(log)
        try:
            await load(client, settings(pair, DRAFT_LENGTH))
            print(f"draft length {DRAFT_LENGTH}, top-k {TOP_K}")
            fixed = ("auto", "draft_model", "lookup", "none")
            await measure(client, messages, fixed, args.rounds)
            held = memory(client, log, pair)
            await load(client, settings(pair, None))
            print("draft length by the policy")
            await measure(client, messages, ("auto", "draft_model"), args.rounds)
            print(held)
        finally:
            await client.close()


def settings(pair: tuple[Path, Path], draft_tokens: int | None) -> PairSettings:
    """Return how the pair is loaded; draft_tokens: None as people have it."""
    target, draft = map(str, pair)
    return PairSettings(
        target=target, draft=draft, n_ctx=N_CTX, threads=THREADS, draft_tokens=draft_tokens
    )


async def measure(
    client: EngineClient, messages: list[Message], drafters: Sequence[str], rounds: int
) -> None:
    """Print a row for each temperature and drafter."""
    for temperature in TEMPERATURES:
        for drafter in drafters:
            found = [await spent(client, messages, drafter, temperature) for _ in range(rounds)]
            print(f"T {temperature} {drafter:12} {row(found)}")


def row(found: Sequence[Spent]) -> str:
    """Return the medians over answers, and the spread of a step's."""
    times = [answer.per_step for answer in found]
    text = f"{median(times):5.0f} us a step ({min(times):.0f} to {max(times):.0f})"
    if not all(answer.drafted for answer in found):
        return text
    each = median(answer.us / answer.drafted for answer in found)
    length = median(answer.drafted / answer.steps for answer in found)
    return f"{text}, {each:.0f} us a drafted token, {length:.1f} of them a step"


def first_prompt(task: str) -> list[Message]:
    """Return the first prompt of a task of the set that the pair was trained for."""
    found = next(known for known in builtin("demo").tasks if known.name == task)
    return [Message(role=role, content=content) for role, content in found.items[0].messages]


async def spent(
    client: EngineClient, messages: list[Message], drafter: str, temperature: float
) -> Spent:
    """Return what one answer spends outside llama.cpp."""
    sampling = SamplingSettings(temperature=temperature, top_k=TOP_K, seed=1)
    last = None
    async for event in client.ask(messages, sampling, N, drafter=drafter):
        last = event
    assert isinstance(last, Finished)
    stats = last.stats
    return Spent(1e6 * stats.engine_overhead_s, stats.steps, stats.drafted)


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
