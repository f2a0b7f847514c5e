"""What a benchmark takes from earlier ones, leaves for later ones, and says of both."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app import fitting
from app.bench.benchmark import Benchmark
from app.bench.changes import changes
from app.bench.kept import FormerRuns, Progress
from app.bench.plan import Scope, fitted, near
from app.bench.report import as_html
from app.bench.result import Result
from app.bench.summary import summarise
from app.bench.words import caveats
from app.errors import AppError
from engine import EngineDied, PromptTooLong
from tests.app.bench.making import COSTS, DRAFTERS, FakeEngine, measure, settings, task, wish

TASKS = (task("chat", items=2), task("copy", temperatures=(0.0,)))
CELLS = 5
JANUARY_S = 1_768_478_400


def test_what_was_measured_earlier_is_said_with_its_date(tmp_path: Path, target: str) -> None:
    first, _ = measure(FakeEngine(target), tmp_path, settings(target), *TASKS)
    assert not first.earlier
    progress = Progress(tmp_path, first.setup)
    for heat in first.heats[:2]:
        progress.append(heat)
    (state,) = tmp_path.glob("*.jsonl")
    os.utime(state, (JANUARY_S, JANUARY_S))
    second, former = measure(FakeEngine(target), tmp_path, settings(target), *TASKS)
    said = "2 of 5 prompts were measured earlier (2026-01-15)."
    assert said in caveats(second, summarise(second), former) and said in as_html(second, former)


def test_an_engine_that_dies_says_what_is_kept(tmp_path: Path, target: str) -> None:
    def dies(drafter: str | None, measured: int) -> None:
        if measured == after:
            raise EngineDied("The engine died.", "See its log.")

    kept = " What was measured is kept (prompts: 2). The next run"
    for after, fresh, said in (
        (7, False, f"{kept} goes on from there."),
        (7, True, f"{kept} without --fresh goes on from there."),
        (2, False, ""),
    ):
        engine = FakeEngine(target, dies)
        with pytest.raises(EngineDied) as death:
            measure(engine, tmp_path / str(after), settings(target), *TASKS, fresh=fresh)
        assert str(death.value) == f"The engine died. See its log.{said}"


def test_an_engine_that_dies_says_that_a_full_disk_kept_nothing(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(drafter: str | None, measured: int) -> None:
        if measured == 7:
            raise EngineDied("The engine died.", "See its log.")

    monkeypatch.setattr(Progress, "_write", lambda *_: 0)
    with pytest.raises(EngineDied) as death:
        measure(FakeEngine(target, dies), tmp_path, settings(target), *TASKS)
    assert str(death.value).endswith("What was measured could not be kept: the disk is full.")


def test_a_result_that_cannot_be_kept_is_shown_all_the_same(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FormerRuns, "keep", full)
    found, _ = measure(FakeEngine(target), tmp_path, settings(target), *TASKS)
    assert len(found.heats) == CELLS
    assert found.notices[-1].startswith("This result is not kept")
    assert "No space left on device" in found.notices[-1]
    monkeypatch.undo()
    engine = FakeEngine(target)
    again, _ = measure(engine, tmp_path, settings(target), *TASKS)
    assert not engine.measured and again.heats == found.heats, "its heats are kept"


def test_how_many_are_kept_is_not_known_before_the_pair_is_loaded(
    tmp_path: Path, target: str
) -> None:
    async def stopped() -> Benchmark:
        engine = FakeEngine(target)
        engine.load_s = 60.0
        benchmark = Benchmark(settings(target), wish(), tmp_path, lambda stage, done: None)
        running = asyncio.create_task(benchmark.run(engine))
        while engine.pair is None:
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return benchmark

    assert asyncio.run(stopped()).progress is None


def on(target: str, slowness: float, dies_after: int | None = None) -> FakeEngine:
    """Return an engine that costs so much of COSTS: 0.15 fits all, 0.3 a step less, 0.5 three."""

    def dies(drafter: str | None, measured: int) -> None:
        if measured == dies_after:
            raise EngineDied("The engine died.")

    engine = FakeEngine(target, dies)
    target_s = [slowness * cost_s for cost_s in COSTS.target_s]
    engine.costs = msgspec.structs.replace(COSTS, target_s=target_s)
    return engine


def quick(engine: FakeEngine, root: Path, target: str, **wished: bool) -> tuple[int, bool]:
    """Return how many prompts are reported, and whether there is a run to compare with."""
    tasks = (task("chat", items=3), task("copy", temperatures=(0.0,)))
    found, former = measure(
        engine, root, settings(target), *tasks, scope=Scope(), limit_s=4.0, **wished
    )
    return len(found.heats), former is not None


def test_a_quick_run_compares_with_one_a_step_away_and_no_further(
    tmp_path: Path, target: str
) -> None:
    alone = {s: quick(on(target, s), tmp_path / str(s), target) for s in (0.15, 0.3, 0.5)}
    assert alone == {0.15: (7, False), 0.3: (5, False), 0.5: (3, False)}
    assert quick(on(target, 0.3), tmp_path / "0.15", target) == (7, True), "slower now"
    assert quick(on(target, 0.15), tmp_path / "0.3", target) == (5, True), "quicker now"
    assert quick(on(target, 0.5), tmp_path / "0.15", target) == (3, False), "much slower"


@pytest.mark.parametrize(("then", "now"), [(0.5, 0.15), (0.15, 0.5), (0.15, 0.15)])
def test_what_is_compared_with_a_file_asks_what_that_has(
    then: float, now: float, tmp_path: Path, target: str
) -> None:
    tasks = (task("chat", items=3), task("copy", temperatures=(0.0,)))
    former, _ = measure(
        on(target, then), tmp_path, settings(target), *tasks, scope=Scope(), limit_s=4.0
    )
    again = tuple(heat.key for heat in former.heats)
    for n, limit_s in enumerate((None, 4.0)):
        found, _ = measure(
            on(target, now),
            tmp_path / str(n),
            settings(target),
            *tasks,
            task("other"),
            scope=Scope(),
            limit_s=limit_s,
            again=again,
        )
        keys = [heat.key for heat in found.heats]
        assert keys == [key for key in again if key in keys] and changes(found, former)
        assert {key[0] for key in keys} == {"chat", "copy"}
        if limit_s is None or now <= then:
            assert keys == list(again)
            assert found.setup.comparable_key == former.setup.comparable_key


def test_a_quick_run_goes_on_with_one_a_step_away(tmp_path: Path, target: str) -> None:
    for fresh, reported, asked in ((False, 7, 5), (True, 5, 5)):
        root = tmp_path / str(fresh)
        with pytest.raises(EngineDied):
            quick(on(target, 0.15, dies_after=6), root, target)
        slower = on(target, 0.3)
        assert quick(slower, root, target, fresh=fresh) == (reported, False)
        assert len(slower.measured) == 3 * asked


def test_steps_are_those_beside_the_fitting_one() -> None:
    scope = Scope(rounds=3)
    fitting = fitted(TASKS, scope, DRAFTERS, COSTS, 1e9)
    assert near(scope, fitting) == (scope, Scope(rounds=2))
    assert near(scope, Scope(rounds=2)) == (Scope(rounds=2), Scope(rounds=1), scope)
    assert len(near(Scope(rounds=1), Scope(rounds=1))) == 2, "steps that change nothing are none"


def test_a_load_that_took_the_time_is_not_called_a_slow_model(tmp_path: Path, target: str) -> None:
    engine = FakeEngine(target)
    engine.load_s, engine.hang_after = 0.3, 0
    with pytest.raises(AppError, match=r"loading took 0\.") as slow:
        measure(engine, tmp_path, settings(target), limit_s=0.2)
    assert "too slow" not in str(slow.value)
    assert "`slipstream bench PAIR`, which has no limit." in str(slow.value)


def test_only_who_refused_every_prompt_is_said_to_have(tmp_path: Path, target: str) -> None:
    def refuses(drafter: str | None, measured: int) -> None:
        if not engine.asked:
            engine.asked.append(("refused", 0.0, None))
            raise PromptTooLong("The prompt has 999 tokens.")

    engine = FakeEngine(target, refuses)
    engine.hang_after = 0
    with pytest.raises(AppError, match="Not one prompt was answered") as late:
        measure(engine, tmp_path, settings(target), *TASKS, limit_s=0.2)
    assert "Left out: chat, prompt 1: The prompt has 999 tokens." in str(late.value)
    assert "`slipstream bench PAIR --quick --tasks NAME` asks for one task" in str(late.value)


def test_what_was_measured_with_other_layers_on_the_gpu_does_not_count(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(drafter: str | None, measured: int) -> None:
        if measured == 7:
            raise EngineDied("The engine died.")

    def run(layers: int, engine: FakeEngine) -> Result:
        pair = msgspec.structs.replace(settings(target).pair, gpu_layers=layers)
        placed = replace(settings(target), pair=pair)
        monkeypatch.setattr(fitting, "fitted", lambda _: placed)
        return measure(engine, tmp_path, settings(target), *TASKS)[0]

    def begin(layers: int) -> str:
        with pytest.raises(EngineDied) as death:
            run(layers, FakeEngine(target, dies))
        return str(death.value)

    kept = "What was measured is kept (prompts: 2). The next run goes on from there."
    assert begin(17).endswith(kept)
    assert begin(15).endswith(kept), "and no more than what counts now"
    engine = FakeEngine(target)
    found = run(20, engine)
    assert len(engine.measured) == 3 * CELLS
    assert {heat.layers for heat in found.heats} == {(20, None)}
    said = "2 of 5 prompts were measured with other layers on the GPU, and do not count."
    assert found.earlier == said and said in caveats(found, summarise(found), None)


def test_what_does_not_tell_its_layers_is_gone_on_with(tmp_path: Path, target: str) -> None:
    first, _ = measure(FakeEngine(target), tmp_path, settings(target), *TASKS)
    assert {heat.layers for heat in first.heats} == {(None, None)}
    for heat in first.heats[:2]:
        Progress(tmp_path, first.setup).append(msgspec.structs.replace(heat, layers=None))
    engine = FakeEngine(target)
    second, _ = measure(engine, tmp_path, settings(target), *TASKS)
    assert len(engine.measured) == 3 * (CELLS - 2)
    assert "2 of 5 prompts were measured earlier" in second.earlier
