"""Made-up figures of a benchmark, and an engine that answers by rote."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.bench.benchmark import Benchmark, Wish
from app.bench.plan import Scope
from app.bench.result import Answer, Heat, ModelFile, Result, Setup, TaskFacts
from app.bench.taskset import Item, Task
from app.settings.config import ChatSettings
from engine import (
    Costs,
    Delta,
    Finished,
    Loading,
    Message,
    PairSettings,
    Ready,
    SamplingSettings,
    SettingError,
    Started,
)
from tests.app.doctor.test_trial import finished, ready

COSTS = Costs(target_s=[0.01, 0.011, 0.012], draft_s=[0.001, 0.002], noise=0.01, kept=False)
DRAFTERS = ("none", "lookup", "auto")


def answer(drafter: str = "none", tps: float | None = 100.0, **changes: Any) -> Answer:
    facts: dict[str, Any] = {
        "output_tokens": 64,
        "steps": 32,
        "first_tokens": 1,
        "answer_s": 64 / tps if tps else 0.1,
        "drafted": 40,
        "accepted": 20,
        "tested": 40,
        "tested_at": (20, 10),
        "accepted_at": (15, 5),
        "near_ties": (),
        "overhead_s": 0.032,
        "shares": {},
        "reason": "length",
        "distinct": 1.0,
    }
    return Answer(drafter=drafter, decode_tps=tps, **(facts | changes))


def heat(*answers: Answer, **changes: Any) -> Heat:
    facts: dict[str, Any] = {
        "task": "chat",
        "item": 0,
        "temperature": 0.0,
        "round": 0,
        "seed": 1,
        "predict": 64,
        "prompt_tokens": 9,
    }
    given = answers or (answer(), answer("lookup", 150.0), answer("auto", 200.0))
    return Heat(answers=given, **(facts | changes))


def setup(**changes: Any) -> Setup:
    facts: dict[str, Any] = {
        "target": ModelFile(name="target.gguf", size_bytes=3 * 2**30, digest="t"),
        "draft": None,
        "device": "CPU",
        "threads": 2,
        "verify": "coupled",
        "sampling": SamplingSettings(seed=1),
        "system": None,
        "draft_tokens": None,
        "n_ctx": None,
        "gpu_layers": None,
        "cache_type": "f16",
        "draft_threads": None,
        "draft_gpu_layers": None,
        "draft_cache_type": None,
        "prompts": "p",
        "tasks": (
            TaskFacts(name="chat", about="talk", copies=False),
            TaskFacts(name="copy", about="copy", copies=True),
        ),
        "rounds": 1,
        "drafters": DRAFTERS,
        "versions": {"slipstream": "0.1.0"},
    }
    return Setup(**(facts | changes))


def result(*heats: Heat, **changes: Any) -> Result:
    facts: dict[str, Any] = {
        "date": "2026-01-02T03:04:05.678+00:00",
        "setup": setup(),
        "rollback": "drop",
        "notices": (),
        "costs": COSTS,
    }
    return Result(heats=heats or (heat(),), **(facts | changes))


def task(name: str = "chat", items: int = 1, **changes: Any) -> Task:
    asked = tuple(
        Item(messages=(("user", f"{name} {number}?"),), predict=64) for number in range(items)
    )
    return Task(name=name, about=name, items=asked, **changes)


def wish(*tasks: Task, **changes: Any) -> Wish:
    facts: dict[str, Any] = {"scope": Scope(rounds=1)}
    return Wish(tasks=tasks or (task(),), **(facts | changes))


def settings(target: str, think: bool | None = None) -> ChatSettings:
    pair = PairSettings(target=target, memory="/somewhere")
    return ChatSettings(
        pair=pair,
        sampling=SamplingSettings(seed=1),
        predict=None,
        system=None,
        title="t",
        think=think,
    )


class FakeEngine:
    """Answers the same three tokens; `at` is called before each answer, with its drafter."""

    threads = 1
    thinks: bool | None = None
    load_s = 0.0
    costs = COSTS
    refused: tuple[str, ...] = ()

    def __init__(
        self, target: str = "target.gguf", at: Callable[[str | None, int], None] | None = None
    ) -> None:
        self.asked: list[tuple[str, float, str | None]] = []
        self.thinking: set[bool | None] = set()
        self.pair: PairSettings | None = None
        self.hang_after: int | None = None
        self._target, self._at = target, at

    @property
    def measured(self) -> list[tuple[str, float, str | None]]:
        """What was asked of a drafter by name: not what only fills the cache."""
        return [asked for asked in self.asked if asked[2] is not None]

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        self.pair = pair
        yield Loading(1, "target", 0.5)
        await asyncio.sleep(self.load_s)
        facts = {"costs": self.costs, "threads": self.threads, "thinks": self.thinks}
        yield ready(target=self._target, **facts)

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        *,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        self.thinking.add(think)
        if drafter in self.refused:
            raise SettingError(f"This pair cannot draft with {drafter}.")
        if self._at is not None:
            self._at(drafter, len(self.measured))
        if self.hang_after is not None and len(self.measured) >= self.hang_after:
            await asyncio.Event().wait()
        self.asked.append((messages[-1].content, sampling.temperature, drafter))
        event = finished(200.0 if drafter == "lookup" else 100.0)
        yield Started(1, 3, 0)
        yield msgspec.structs.replace(event, token_ids=[1, 2, 3])


def measure(
    engine: FakeEngine, root: Path, of: ChatSettings, *tasks: Task, **wished: Any
) -> tuple[Result, Result | None]:
    """Run a benchmark; return what it does."""
    benchmark = Benchmark(of, wish(*tasks, **wished), root, lambda stage, done: None)
    return asyncio.run(benchmark.run(engine))
