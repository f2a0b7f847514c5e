"""Estimated and real memory of pairs: `python -m tests.lab.fit [--embedded]`.

The estimate is `app.models.needs`, from the files' own figures. The real memory is what llama.cpp's
log says of its buffers, plus what the engine's process holds beside them. Columns, in MiB:

estimate  weights, caches, compute and process
weights   per model what is rearranged, or what is mapped from the file, whichever is more: mapped
          pages of rearranged weights are page cache, which the system drops when it needs the room
caches, compute   as the log has them; compute buffers are reserved whole and filled as needed
own       the process's RSS without weights and caches; what is filled of the compute buffers so far
          (32 rows of scores, about) counts here as well as there
ratio     estimate / (weights + caches + compute + own)
RSS, USS  of the process; more than the estimate where mapped pages stand beside rearranged weights,
          less where they do not and compute buffers are not filled yet
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.models.figures import of_file
from app.models.needs import MIB, Needs, Place, needs
from engine import EngineClient, PairSettings
from tests.lab.pairs import lab_pair
from tests.pair import DRAFT, TARGET, load

CONTEXTS = (256, 512, 1024, 2048)
CACHE_TYPES = ("f16", "q8_0")
BUFFER = re.compile(r"(\S+) +(model|KV|RS|compute) buffer size = +([\d.]+) MiB")
MAPPED = "CPU_Mapped"


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes, as the log and the system have them. all_weights: mapped and rearranged ones."""

    weights: int
    all_weights: int
    kv: int
    compute: int
    rss: int
    uss: int
    place: Place

    @property
    def own(self) -> int:
        """What the process holds beside what the log accounts for."""
        return self.rss - self.all_weights - self.kv

    @property
    def total(self) -> int:
        """The real memory."""
        return self.weights + self.kv + self.compute + self.own


async def measure(
    target: Path, draft: Path | None, n_ctx: int, cache_type: str, use_extra_bufts: bool = True
) -> Measured:
    """Load a pair on the processor, in an engine process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "engine.log"
        client = EngineClient(log)
        settings = PairSettings(
            target=str(target),
            draft=str(draft) if draft else None,
            n_ctx=n_ctx,
            threads=2,
            gpu_layers=0,
            cache_type=cache_type,
            use_extra_bufts=use_extra_bufts,
        )
        try:
            await load(client, settings)
            assert client.pid is not None
            held = psutil.Process(client.pid).memory_full_info()
            return read(log.read_text(errors="replace"), held.rss, held.uss)
        finally:
            await client.close()


def read(log: str, rss: int, uss: int) -> Measured:
    """Sum up the buffers that a log of one load tells of."""
    sums = {"KV": 0.0, "RS": 0.0, "compute": 0.0}
    models: list[dict[str, float]] = [{}]
    for kind, what, size in BUFFER.findall(log):
        if what == "model":
            if kind in models[-1]:  # the next model's
                models.append({})
            models[-1][kind] = float(size)
        else:
            sums[what] += float(size)
    weights = 0.0
    for model in models:
        mapped = model.get(MAPPED, 0.0)
        weights += max(mapped, sum(model.values()) - mapped)
    return Measured(
        weights=int(weights * MIB),
        all_weights=int(sum(sum(model.values()) for model in models) * MIB),
        kv=int((sums["KV"] + sums["RS"]) * MIB),
        compute=int(sums["compute"] * MIB),
        rss=rss,
        uss=uss,
        place="AMX" if any("AMX" in model for model in models) else "CPU",
    )


def row(name: str, n_ctx: int, cache_type: str, guess: Needs, found: Measured) -> str:
    """Return a line of the table."""
    guessed = (guess.weights_bytes, guess.kv_bytes, guess.compute_bytes, guess.process_bytes)
    real = (found.weights, found.kv, found.compute, found.own)
    numbers = " ".join(f"{size / MIB:7.1f}" for size in (guess.total, *guessed))
    reals = " ".join(f"{size / MIB:7.1f}" for size in (found.total, *real))
    held = f"{found.rss / MIB:7.0f} {found.uss / MIB:7.0f}"
    ratio = guess.total / found.total
    return f"{name:9} {cache_type:5} {n_ctx:5} |{numbers} |{reals} | {ratio:5.3f} |{held}"


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedded", action="store_true", help="the embedded pair alone")
    args = parser.parse_args()
    pairs = {"embedded": (TARGET, DRAFT)}
    if not args.embedded:
        lab = lab_pair()
        pairs |= {
            "1B Q8_0": (lab.target_q8_0, lab.draft),
            "1B Q4_K_M": (lab.target_q4_k_m, lab.draft),
        }
    columns = "weights  caches compute"
    print(f"{'pair':9} {'cache':5} {'n_ctx':>5} |estimate {columns} process", end=" |")
    print(f"   real {columns}     own | ratio |    RSS     USS")
    for name, (target, draft) in pairs.items():
        for cache_type in CACHE_TYPES:
            for n_ctx in CONTEXTS:
                found = await measure(target, draft, n_ctx, cache_type)
                guess = needs(of_file(target), of_file(draft), n_ctx, cache_type, found.place)
                assert guess is not None, "the files say all of it"
                print(row(name, n_ctx, cache_type, guess, found), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
