"""A benchmark over an engine that answers by rote: order, resumption, deadline, refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest

from app import threads_for_screen
from app.bench.benchmark import Benchmark, Wish, chosen_drafters
from app.bench.kept import Progress
from app.bench.result import Result
from app.errors import AppError, SettingsError
from engine import EngineDied, EngineError, Finished, PromptTooLong
from engine.system.cores import Cores
from tests.app.bench.making import FakeEngine, settings, task, wish
from tests.app.doctor.test_trial import finished, ready

TASKS = (task("chat", items=2), task("copy", temperatures=(0.0,)))
CELLS = 5


def measure(engine: FakeEngine, root: Path, target: str, wanted: Wish) -> tuple[Result, Benchmark]:
    benchmark = Benchmark(settings(target), wanted, root, lambda stage, done: None)
    result, _ = asyncio.run(benchmark.run(engine))
    return result, benchmark


def test_everybody_answers_each_prompt_behind_a_warm_cache(tmp_path: Path, target: str) -> None:
    engine = FakeEngine(target)
    result, _ = measure(engine, tmp_path, target, wish(*TASKS))
    assert len(result.heats) == CELLS
    for heat in range(CELLS):
        block = engine.asked[4 * heat : 4 * heat + 4]
        assert len({asked[:2] for asked in block}) == 1, "one prompt at one temperature"
        assert block[0][2] is None
        assert {asked[2] for asked in block[1:]} == {"none", "lookup", "auto"}
    assert engine.pair is not None and (engine.pair.memory, engine.pair.drafter) == (None, "auto")
    answers = {a.drafter: a for a in result.heats[0].answers}
    assert answers["lookup"].decode_tps == 200.0 and answers["lookup"].parts_at is None
    assert answers["none"].answer_s == pytest.approx(0.1 + 23 / 100)
    assert answers["none"].first_tokens == 1


def test_a_small_model_is_told_to_run_with_fewer_threads_in_the_chat(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_for_screen, "default_threads", lambda: 2)
    monkeypatch.setattr(threads_for_screen, "count_cores", lambda: Cores(2))
    monkeypatch.setattr(FakeEngine, "threads", 2)
    result, _ = measure(FakeEngine(target), tmp_path, target, wish(*TASKS))
    assert (result.setup.threads, len(result.notices)) == (2, 1)
    assert "threads: 1, not 2" in result.notices[0]


def test_an_interrupted_benchmark_asks_only_the_rest(tmp_path: Path, target: str) -> None:
    def dies(drafter: str | None, measured: int) -> None:
        if measured == 7:
            raise EngineDied("The engine process ended by SIGKILL.")

    first = FakeEngine(target, dies)
    benchmark = Benchmark(settings(target), wish(*TASKS), tmp_path, lambda stage, done: None)
    with pytest.raises(EngineDied):
        asyncio.run(benchmark.run(first))
    assert benchmark.progress is not None and benchmark.progress.count == 2
    second = FakeEngine(target)
    result, again = measure(second, tmp_path, target, wish(*TASKS))
    assert len(second.measured) == 3 * (CELLS - 2), "a heat that was begun is measured whole"
    assert not set(second.measured) & set(first.measured[:6])
    assert len(result.heats) == CELLS and not result.cut_short
    assert again.progress is not None and not again.progress.told
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_cancelled_benchmark_goes_on_too(tmp_path: Path, target: str) -> None:
    async def cancelled() -> Progress | None:
        benchmark = Benchmark(settings(target), wish(*TASKS), tmp_path, lambda stage, done: None)
        engine = FakeEngine(target)
        engine.hang_after = 4
        running = asyncio.create_task(benchmark.run(engine))
        while len(engine.measured) < 4:
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return benchmark.progress

    left = asyncio.run(cancelled())
    assert left is not None and left.count == 1
    engine = FakeEngine(target)
    measure(engine, tmp_path, target, wish(*TASKS))
    assert len(engine.measured) == 3 * (CELLS - 1)


def test_fresh_starts_over(tmp_path: Path, target: str) -> None:
    engine = FakeEngine(target)
    result, _ = measure(engine, tmp_path, target, wish(*TASKS))
    Progress(tmp_path, result.setup).append(result.heats[0])
    fresh = FakeEngine(target)
    measure(fresh, tmp_path, target, wish(*TASKS, fresh=True))
    assert len(fresh.measured) == 3 * CELLS


def test_a_finished_run_is_what_the_next_one_compares_with(tmp_path: Path, target: str) -> None:
    first, _ = measure(FakeEngine(target), tmp_path, target, wish(*TASKS))
    benchmark = Benchmark(settings(target), wish(*TASKS), tmp_path, lambda stage, done: None)
    _, former = asyncio.run(benchmark.run(FakeEngine(target)))
    assert former == first


def test_at_the_deadline_what_is_done_is_reported(tmp_path: Path, target: str) -> None:
    engine = FakeEngine(target)
    engine.hang_after = 4
    result, _ = measure(engine, tmp_path, target, wish(*TASKS, limit_s=0.3))
    assert len(result.heats) == 1
    assert result.cut_short == "The time was up: 1 of 2 prompts were asked."


def test_a_deadline_before_anything_is_done_is_an_error(tmp_path: Path, target: str) -> None:
    engine = FakeEngine(target)
    engine.hang_after = 0
    with pytest.raises(AppError, match="Not one prompt"):
        measure(engine, tmp_path, target, wish(limit_s=0.05))


def test_a_prompt_that_the_model_refuses_is_named_and_left_out(tmp_path: Path, target: str) -> None:
    def refuses(drafter: str | None, measured: int) -> None:
        if measured >= 6:
            raise PromptTooLong("The prompt has 999 tokens.")

    result, _ = measure(FakeEngine(target, refuses), tmp_path, target, wish(*TASKS))
    assert len(result.heats) == 2
    assert result.skipped == (
        "chat, prompt 2: The prompt has 999 tokens.",
        "copy, prompt 1: The prompt has 999 tokens.",
    )
    with pytest.raises(AppError, match=r"none of the prompts\. chat, prompt 1"):
        measure(FakeEngine(target, lambda *_: refuses(None, 6)), tmp_path, target, wish())


def test_a_drafter_that_fails_is_not_measured(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*args: object, **more: object) -> AsyncGenerator[Finished, None]:
        yield msgspec.structs.replace(finished(), notices=["The draft model failed."])

    engine = FakeEngine(target)
    monkeypatch.setattr(engine, "ask", failing)
    with pytest.raises(EngineError, match="draft model failed"):
        measure(engine, tmp_path, target, wish(*TASKS))


def test_plain_always_takes_part_and_the_cascade_comes_last() -> None:
    pair = ready(drafters=["lookup", "draft_model"])
    assert chosen_drafters((), pair) == ("none", "lookup", "draft_model", "auto")
    assert chosen_drafters(("auto", "lookup"), pair) == ("none", "lookup", "auto")


def test_a_pair_without_that_drafter_says_so() -> None:
    with pytest.raises(SettingsError, match="cannot draft with draft_model; it has: lookup, auto"):
        chosen_drafters(("draft_model",), ready(drafters=["lookup"]))
    with pytest.raises(AppError, match="Speculation is off"):
        chosen_drafters((), ready(drafters=[], notices=["Speculation is off: no way back."]))
