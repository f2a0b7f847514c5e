"""One benchmark from loading to result: loads, plans, goes on where it was, asks, keeps.

It owns the order of these and the time limit; what is asked, how it is measured and what is written
are the other modules'.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Protocol

import msgspec

from app import fitting
from app.bench.conditions import asking, setup_of
from app.bench.kept import FormerRuns, Progress
from app.bench.plan import PLAIN_DRAFTER, Cell, Scope, fewer, fitted, near, plan, repeated
from app.bench.result import Heat, HeatKey, Layers, Result, Setup
from app.bench.running import Asker, Skipped, ask_all, can_draft
from app.bench.taskset import Task
from app.errors import AppError, SettingsError, reason
from app.settings.config import ChatSettings, without_sight
from app.settings.values import NO_SWITCH, drafter_names, uses_draft_model
from app.threads_for_screen import told_of_chat
from engine import EngineError, Loading, PairSettings, Ready

CASCADE = "auto"
SHARE_FOR_ASKING = 0.85
"""Of the time that is left after loading: the rest is for what an estimate misses."""

Show = Callable[[str, float], None]
"""Is told what is being done, and how much of the whole is: 0 to 1."""
Plan = tuple[tuple[Cell, ...], Setup]
"""What is asked, and the setup that this makes."""


class Engine(Asker, Protocol):
    """What a benchmark needs of the engine; `engine.EngineClient` is one."""

    def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        """Load a pair; ends with Ready. Raises EngineError."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure. drafters: () for all that the pair has. limit_s: for all of it, None for as
    long as it takes. fresh: forget an interrupted run of the same benchmark. again: the prompts of
    a result that is to be compared with, which are asked again as far as they are wished for.
    """

    tasks: tuple[Task, ...]
    scope: Scope
    drafters: tuple[str, ...] = ()
    limit_s: float | None = None
    fresh: bool = False
    again: tuple[HeatKey, ...] = ()


class Benchmark:
    """A benchmark and how far it got. progress: what an interruption leaves behind; None: that is
    not known yet.
    """

    def __init__(self, settings: ChatSettings, wish: Wish, root: Path, show: Show) -> None:
        """root: where benchmarks are kept."""
        self._settings, self._wish, self._root, self._show = settings, wish, root, show
        self.progress: Progress | None = None
        self._heats: list[Heat] = []
        self._skipped: list[str] = []
        self._earlier = ""
        self._layers: Layers = (None, None)

    async def run(self, engine: Engine) -> tuple[Result, Result | None]:
        """Measure; return the result, and the latest former one that compares. Raises EngineError,
        AppError, OSError.
        """
        began_s = asyncio.get_running_loop().time()
        wish = self._wish
        ready = await self._load(engine)
        load_s = asyncio.get_running_loop().time() - began_s
        own = [name for name in _beside(wish.drafters, ready) if await can_draft(engine, name)]
        drafters = chosen_drafters(wish.drafters, ready, own)
        deadline_s = None if wish.limit_s is None else began_s + wish.limit_s
        cells, setup = self._plan(ready, drafters, deadline_s)
        progress = self.progress = Progress(self._root, setup)
        if wish.fresh:
            progress.forget()
        try:
            is_cut = await self._ask(engine, progress, cells, setup.think, deadline_s)
        except EngineError as error:
            error.hint = f"{error.hint} {self.left}".strip()
            raise
        if not self._heats:
            raise AppError(_nothing(self._skipped, wish.limit_s if is_cut else None, load_s))
        return self._keep(progress, self._result(ready, setup, len(cells), is_cut))

    @property
    def left(self) -> str:
        """What is left behind if it ends now, "" where nothing was measured, or is known yet."""
        progress = self.progress
        if progress is None or not progress.told:
            return ""
        without = " without --fresh" if self._wish.fresh else ""
        goes_on = f" The next run{without} goes on from there." if progress.count else ""
        return f"{progress.told[0].upper()}{progress.told[1:]}.{goes_on}"

    async def _load(self, engine: Engine) -> Ready:
        """Load with as many layers on the GPU as fit now: the setup keeps what was asked for."""
        pair = fitting.fitted(as_loaded(self._settings)).pair
        self._layers = pair.gpu_layers, pair.draft_gpu_layers
        async for event in engine.load(pair):
            if isinstance(event, Ready):
                return event
            self._show(f"loading {event.stage}", 0.0)
        raise AssertionError("a load ends with Ready or an exception")

    def _plan(self, ready: Ready, drafters: tuple[str, ...], deadline_s: float | None) -> Plan:
        """Return the cells: all of them, or as many as there is time for; where a result is to be
        compared with, those that it has.
        """
        wish, settings = self._wish, self._settings
        budget_s = None
        if deadline_s is not None:
            budget_s = SHARE_FOR_ASKING * (deadline_s - asyncio.get_running_loop().time())
        seed = settings.sampling.seed
        again = repeated(wish.tasks, wish.scope, drafters, seed, wish.again)
        if not again:
            return self._own_plan(ready, drafters, budget_s)
        cells = again if budget_s is None else fewer(again, ready.costs, budget_s)
        asked = {cell.task for cell in cells}
        tasks = [task for task in wish.tasks if task.name in asked]
        return cells, asking(setup_of(settings, ready, tasks, drafters), cells)

    def _own_plan(self, ready: Ready, drafters: tuple[str, ...], budget_s: float | None) -> Plan:
        """Return the cells of the scope. With a budget, of those a step more or less, if that goes
        on with a former run or compares with one: no two loads have the same time left.
        """
        wish, settings = self._wish, self._settings
        scopes: tuple[Scope, ...] = (wish.scope,)
        if budget_s is not None:
            fitting = fitted(wish.tasks, wish.scope, drafters, ready.costs, budget_s)
            scopes = near(wish.scope, fitting)
        setup = setup_of(settings, ready, wish.tasks, drafters)
        cells = [plan(wish.tasks, scope, drafters, settings.sampling.seed) for scope in scopes]
        plans = [(asked, asking(setup, asked)) for asked in cells]
        begun = (p for p in plans if not wish.fresh and Progress(self._root, p[1]).is_begun)
        former = (p for p in plans if FormerRuns(self._root, p[1]).last() is not None)
        return next(chain(begun, former), plans[0])

    async def _ask(
        self,
        engine: Engine,
        progress: Progress,
        cells: Sequence[Cell],
        think: bool | None,
        deadline_s: float | None,
    ) -> bool:
        """Ask what is not known yet; return whether the time was up before the end."""
        self._go_on(progress, cells)
        known = {heat.key for heat in self._heats}
        missing = [cell for cell in cells if cell.key not in known]
        settings = self._settings
        try:
            async with asyncio.timeout_at(deadline_s):
                announced = self._announced(missing, len(cells))
                sampling, system = settings.sampling, settings.system
                await ask_all(engine, announced, sampling, system, think, self._took)
        except TimeoutError:
            return True
        return False

    def _go_on(self, progress: Progress, cells: Sequence[Cell]) -> None:
        """Take in what an interrupted run measured, but not with other layers on the GPU: speeds of
        two placements are not of one benchmark.
        """
        wanted = {cell.key for cell in cells}
        found = [heat for heat in progress.resume() if heat.key in wanted]
        self._heats = [heat for heat in found if heat.layers in (None, self._layers)]
        n_kept, n_other, of = len(self._heats), len(found) - len(self._heats), len(cells)
        progress.count -= n_other
        said = [f"{n_kept} of {of} prompts were measured earlier ({progress.date})."] * bool(n_kept)
        if n_other:
            with_other = "were measured with other layers on the GPU, and do not count"
            said.append(f"{n_other} of {of} prompts {with_other}.")
        self._earlier = " ".join(said)

    def _announced(self, cells: Iterable[Cell], total: int) -> Iterable[Cell]:
        """Yield the cells, saying of each that it is asked now."""
        for cell in cells:
            done = len(self._heats) / total
            self._show(f"{cell.task}, round {cell.round + 1}", done)
            yield cell

    def _took(self, outcome: Heat | Skipped) -> None:
        assert self.progress is not None
        if isinstance(outcome, Heat):
            heat = msgspec.structs.replace(outcome, layers=self._layers)
            self._heats.append(heat)
            self.progress.append(heat)
        else:
            self._skipped.append(
                f"{outcome.cell.task}, prompt {outcome.cell.item + 1}: {outcome.reason}"
            )

    def _result(self, ready: Ready, setup: Setup, planned: int, is_cut: bool) -> Result:
        cut = f"The time was up: {len(self._heats)} of {planned} prompts were asked."
        in_chat = told_of_chat(self._settings.pair, ready.threads)
        in_vain = self._settings.think is not None and ready.thinks is None
        notices = [*ready.notices, NO_SWITCH if in_vain else "", in_chat]
        return Result(
            date=datetime.now(UTC).isoformat(timespec="milliseconds"),
            setup=setup,
            rollback=ready.rollback,
            notices=tuple(filter(None, notices)),
            costs=ready.costs,
            heats=tuple(self._heats),
            skipped=tuple(self._skipped),
            cut_short=cut if is_cut else "",
            earlier=self._earlier,
        )

    def _keep(self, progress: Progress, result: Result) -> tuple[Result, Result | None]:
        """Keep the result; return it, and the former one that it compares with."""
        runs = FormerRuns(self._root, result.setup)
        former = runs.last()
        try:
            runs.keep(result)
            progress.forget()
        except OSError as error:
            told = f"This result is not kept for later ones to compare with: {reason(error)}."
            result = msgspec.structs.replace(result, notices=(*result.notices, told))
        return result, former


def as_loaded(settings: ChatSettings) -> ChatSettings:
    """Return the settings with the pair as it is measured: whoever can draft, and nothing else."""
    pair = msgspec.structs.replace(settings.pair, drafter=CASCADE, memory=None)
    return without_sight(replace(settings, pair=pair))


def _beside(wanted: Sequence[str], ready: Ready) -> list[str]:
    """Return the drafters that are in no cascade and might be built for this pair."""
    known = {*ready.drafters, CASCADE, PLAIN_DRAFTER}
    return [
        name
        for name in drafter_names()
        if ready.drafters
        and name not in known
        and (not wanted or name in wanted)
        and (ready.draft or not uses_draft_model(name))
    ]


def chosen_drafters(
    wanted: Sequence[str], ready: Ready, beside: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return plain and those that take part, the cascade last. beside: who drafts alone.

    Raises AppError, SettingsError.
    """
    if not ready.drafters:
        reasons = " ".join(ready.notices)
        raise AppError(f"Nothing to compare: no drafter can draft for this model. {reasons}")
    there = (*(name for name in ready.drafters if name != CASCADE), *beside, CASCADE)
    for name in wanted:
        if name not in (*there, PLAIN_DRAFTER):
            raise SettingsError(
                f"--drafters: this pair cannot draft with {name}; it has: {', '.join(there)}."
            )
    return (PLAIN_DRAFTER, *(name for name in there if not wanted or name in wanted))


def _nothing(skipped: Sequence[str], limit_s: float | None, load_s: float) -> str:
    """Say why there is no result. limit_s: the time that was up, None if it was not."""
    if limit_s is None:
        return f"This model could be asked none of the prompts. {skipped[0]}"
    if load_s > limit_s / 2:
        return (
            f"Not one prompt was answered by all drafters: of the {limit_s:.0f} s, loading took "
            f"{load_s:.0f}. Try again, as a second load is often quicker, or measure with "
            "`slipstream bench PAIR`, which has no limit."
        )
    left_out = f" Left out: {skipped[0]}" if skipped else ""
    return (
        f"Not one prompt was answered by all drafters in {limit_s:.0f} s: the model is too slow "
        "here for that. `slipstream bench PAIR --quick --tasks NAME` asks for one task alone, "
        f"and `slipstream bench PAIR` has no limit.{left_out}"
    )
