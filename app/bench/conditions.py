"""Everything that decides what a benchmark measures: models, machine, build, settings, prompts."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from app.bench.plan import Cell
from app.bench.result import ModelFile, Setup, TaskFacts
from app.bench.taskset import Task
from app.hardware import detect_cpu, detect_gpus, detect_memory
from app.settings.config import ChatSettings
from engine import Ready

PACKAGES = ("slipstream", "llama-cpp-python", "numpy")
CPU = "CPU"
ROOT = Path("/")


def setup_of(
    settings: ChatSettings, ready: Ready, tasks: Sequence[Task], drafters: tuple[str, ...]
) -> Setup:
    """Return the setup of a loaded pair, but for the prompts, which `asking` adds."""
    pair = settings.pair
    versions = {name: version(name) for name in PACKAGES}
    return Setup(
        target=ModelFile.of(Path(ready.target)),
        draft=ModelFile.of(Path(ready.draft)) if ready.draft else None,
        device=ready.device,
        threads=ready.threads,
        verify=ready.verify,
        sampling=settings.sampling.at(0.0),
        system=settings.system,
        think=_thinks(settings.think, ready.thinks),
        draft_tokens=pair.draft_tokens,
        n_ctx=pair.n_ctx,
        gpu_layers=pair.gpu_layers,
        cache_type=pair.cache_type,
        draft_threads=pair.draft_threads,
        draft_gpu_layers=pair.draft_gpu_layers,
        draft_cache_type=pair.draft_cache_type,
        prompts="",
        tasks=tuple(
            TaskFacts(name=task.name, about=task.about, copies=task.copies) for task in tasks
        ),
        rounds=0,
        drafters=drafters,
        versions={**versions, "python": platform.python_version()},
        machine=_machine(ready.device),
        system_info=ready.system_info,
        kernels=pair.use_extra_bufts and not ready.crash,
        batch_invariant=ready.batch_invariant,
    )


def asking(setup: Setup, cells: Sequence[Cell]) -> Setup:
    """Return the setup of a benchmark that asks these cells."""
    first = min(cell.round for cell in cells)
    of_first = [cell for cell in cells if cell.round == first]
    asked = [(c.task, c.item, c.temperature, c.predict, c.messages) for c in of_first]
    return msgspec.structs.replace(
        setup,
        prompts=hashlib.sha256(msgspec.json.encode(asked)).hexdigest(),
        rounds=1 + max(cell.round for cell in cells),
    )


def _thinks(wanted: bool | None, thinks: bool | None) -> bool | None:
    """Return whether the model is to think first: only if that is wished, for a thought would be
    all that short answers have room for. None where it has no switch.
    """
    return None if thinks is None else bool(wanted)


def _machine(device: str) -> str:
    """Name the processor, and the GPUs where they compute."""
    gpus = () if device == CPU else detect_gpus(ROOT, detect_memory(ROOT))
    return ", ".join([detect_cpu(ROOT).name, *(gpu.name for gpu in gpus)])
