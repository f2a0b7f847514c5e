"""One benchmark from loading to result: loads, plans, goes on where it was, asks, keeps.

It owns the order of these and the time limit; what is asked, how it is measured and what is written
are the other modules'.
"""

from __future__ import annotations

import asyncio
import hashlib
import platform
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import msgspec

from app.bench.kept import FormerRuns, Progress
from app.bench.plan import PLAIN_DRAFTER, Cell, Scope, fitted, plan
from app.bench.result import Heat, ModelFile, Result, Setup, TaskFacts
from app.bench.running import Asker, Skipped, ask_all
from app.bench.taskset import Task
from app.config import ChatSettings
from app.errors import AppError, SettingsError
from app.threads_for_screen import told_of_chat
from engine import Loading, PairSettings, Ready

CASCADE = "auto"
SHARE_FOR_ASKING = 0.85
"""Of the time that is left after loading: the rest is for what an estimate misses."""
PACKAGES = ("slipstream", "llama-cpp-python", "numpy")

Show = Callable[[str, float], None]
"""Is told what is being done, and how much of the whole is: 0 to 1."""


class Engine(Asker, Protocol):
    """What a benchmark needs of the engine; `engine.EngineClient` is one."""

    def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        """Load a pair; ends with Ready. Raises EngineError."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure. drafters: () for all that the pair has. limit_s: for all of it, None for as
    long as it takes. fresh: forget an interrupted run of the same benchmark.
    """

    tasks: tuple[Task, ...]
    scope: Scope
    drafters: tuple[str, ...] = ()
    limit_s: float | None = None
    fresh: bool = False


class Benchmark:
    """A benchmark and how far it got. kept: how many heats an interruption leaves behind."""

    def __init__(self, settings: ChatSettings, wish: Wish, root: Path, show: Show) -> None:
        """root: where benchmarks are kept."""
        self._settings, self._wish, self._root, self._show = settings, wish, root, show
        self._progress: Progress | None = None
        self._heats: list[Heat] = []
        self._skipped: list[str] = []

    @property
    def kept(self) -> int:
        """How many heats the same benchmark would go on behind."""
        return self._progress.count if self._progress else 0

    async def run(self, engine: Engine) -> tuple[Result, Result | None]:
        """Measure; return the result, and the latest former one that compares. Raises EngineError,
        AppError, OSError.
        """
        began_s = asyncio.get_running_loop().time()
        wish = self._wish
        ready = await self._load(engine)
        drafters = chosen_drafters(wish.drafters, ready)
        deadline_s = None if wish.limit_s is None else began_s + wish.limit_s
        cells = self._plan(ready, drafters, deadline_s)
        setup = _setup(self._settings, wish, ready, cells, drafters)
        self._progress = Progress(self._root, setup)
        if wish.fresh:
            self._progress.forget()
        is_cut = await self._ask(engine, cells, deadline_s)
        if not self._heats:
            raise AppError(_nothing(self._skipped, wish.limit_s))
        result = self._result(ready, setup, len(cells), is_cut)
        runs = FormerRuns(self._root, setup)
        former = runs.last()
        runs.keep(result)
        self._progress.forget()
        return result, former

    async def _load(self, engine: Engine) -> Ready:
        pair = msgspec.structs.replace(self._settings.pair, drafter=CASCADE, memory=None)
        async for event in engine.load(pair):
            if isinstance(event, Ready):
                return event
            self._show(f"loading {event.stage}", 0.0)
        raise AssertionError("a load ends with Ready or an exception")

    def _plan(
        self, ready: Ready, drafters: Sequence[str], deadline_s: float | None
    ) -> tuple[Cell, ...]:
        """Return the cells: all of them, or as many as there is time for."""
        wish = self._wish
        scope = wish.scope
        if deadline_s is not None:
            left_s = deadline_s - asyncio.get_running_loop().time()
            budget_s = SHARE_FOR_ASKING * left_s
            scope = fitted(wish.tasks, scope, drafters, ready.costs, budget_s)
        return plan(wish.tasks, scope, drafters, self._settings.sampling.seed)

    async def _ask(self, engine: Engine, cells: Sequence[Cell], deadline_s: float | None) -> bool:
        """Ask what is not known yet; return whether the time was up before the end."""
        assert self._progress is not None
        wanted = {cell.key for cell in cells}
        self._heats = [heat for heat in self._progress.resume() if heat.key in wanted]
        known = {heat.key for heat in self._heats}
        missing = [cell for cell in cells if cell.key not in known]
        settings = self._settings
        try:
            async with asyncio.timeout_at(deadline_s):
                announced = self._announced(missing, len(cells))
                await ask_all(engine, announced, settings.sampling, settings.system, self._took)
        except TimeoutError:
            return True
        return False

    def _announced(self, cells: Iterable[Cell], total: int) -> Iterable[Cell]:
        """Yield the cells, saying of each that it is asked now."""
        for cell in cells:
            done = len(self._heats) / total
            self._show(f"{cell.task}, round {cell.round + 1}", done)
            yield cell

    def _took(self, outcome: Heat | Skipped) -> None:
        assert self._progress is not None
        if isinstance(outcome, Heat):
            self._heats.append(outcome)
            self._progress.append(outcome)
        else:
            self._skipped.append(
                f"{outcome.cell.task}, prompt {outcome.cell.item + 1}: {outcome.reason}"
            )

    def _result(self, ready: Ready, setup: Setup, planned: int, is_cut: bool) -> Result:
        cut = f"The time was up: {len(self._heats)} of {planned} prompts were asked."
        in_chat = told_of_chat(self._settings.pair, ready.threads)
        return Result(
            date=datetime.now(UTC).isoformat(timespec="milliseconds"),
            setup=setup,
            rollback=ready.rollback,
            system_info=ready.system_info,
            notices=tuple(filter(None, [*ready.notices, in_chat])),
            costs=ready.costs,
            heats=tuple(self._heats),
            skipped=tuple(self._skipped),
            cut_short=cut if is_cut else "",
        )


def chosen_drafters(wanted: Sequence[str], ready: Ready) -> tuple[str, ...]:
    """Return plain and those that take part, the cascade last. Raises AppError, SettingsError."""
    if not ready.drafters:
        reasons = " ".join(ready.notices)
        raise AppError(f"Nothing to compare: no drafter can draft for this model. {reasons}")
    there = (*(name for name in ready.drafters if name != CASCADE), CASCADE)
    for name in wanted:
        if name not in (*there, PLAIN_DRAFTER):
            raise SettingsError(
                f"--drafters: this pair cannot draft with {name}; it has: {', '.join(there)}."
            )
    return (PLAIN_DRAFTER, *(name for name in there if not wanted or name in wanted))


def _setup(
    settings: ChatSettings,
    wish: Wish,
    ready: Ready,
    cells: Sequence[Cell],
    drafters: tuple[str, ...],
) -> Setup:
    pair = settings.pair
    asked = [(c.task, c.item, c.temperature, c.predict, c.messages) for c in cells if not c.round]
    versions = {name: version(name) for name in PACKAGES}
    return Setup(
        target=ModelFile.of(Path(ready.target)),
        draft=ModelFile.of(Path(ready.draft)) if ready.draft else None,
        device=ready.device,
        threads=ready.threads,
        verify=ready.verify,
        sampling=settings.sampling.at(0.0),
        system=settings.system,
        draft_tokens=pair.draft_tokens,
        n_ctx=pair.n_ctx,
        gpu_layers=pair.gpu_layers,
        cache_type=pair.cache_type,
        draft_threads=pair.draft_threads,
        draft_gpu_layers=pair.draft_gpu_layers,
        draft_cache_type=pair.draft_cache_type,
        prompts=hashlib.sha256(msgspec.json.encode(asked)).hexdigest(),
        tasks=tuple(
            TaskFacts(name=task.name, about=task.about, copies=task.copies) for task in wish.tasks
        ),
        rounds=1 + max(cell.round for cell in cells),
        drafters=drafters,
        versions={**versions, "python": platform.python_version()},
    )


def _nothing(skipped: Sequence[str], limit_s: float | None) -> str:
    if skipped:
        return f"This model could be asked none of the prompts. {skipped[0]}"
    return (
        f"Not one prompt was answered by all drafters in {limit_s:.0f} s: the model is too slow "
        "here for --quick; give --tasks with one short task, or leave --quick out."
    )
