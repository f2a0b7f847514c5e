"""The quick benchmark of a pair: in under a minute, with the same text in each run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from app.bench.benchmark import Wish
from app.bench.plan import Scope
from app.bench.taskset import Task, builtin
from app.models.catalog import EMBEDDED
from app.settings.config import ChatSettings

QUICK_S = 45.0
SEED = 1


def own_tasks(settings: ChatSettings) -> tuple[Task, ...]:
    """Return the tasks that a pair is measured with unless others are asked for."""
    is_embedded = Path(settings.pair.target).parent == EMBEDDED
    return builtin("demo" if is_embedded else "general").tasks


def quick(settings: ChatSettings) -> tuple[Wish, ChatSettings]:
    """Return what `slipstream bench --quick` measures of a pair, and with which settings."""
    seeded = msgspec.structs.replace(settings.sampling, seed=SEED)
    wish = Wish(tasks=own_tasks(settings), scope=Scope(), limit_s=QUICK_S)
    return wish, replace(settings, sampling=seeded)
