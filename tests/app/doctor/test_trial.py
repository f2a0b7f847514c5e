"""What becomes of one question, asked of an engine that plays a part."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.doctor import trial
from app.doctor.trial import Answered, Trial, Unanswered, try_engine
from engine import (
    GPU_HAS_NO_ROOM,
    EngineClient,
    EngineDied,
    Finished,
    Loading,
    Message,
    ModelFileError,
    PairSettings,
    Ready,
    SamplingSettings,
)

ROOT = Path(__file__).parents[3]
PAIR = PairSettings(target="target.gguf", draft="draft.gguf")


def ready(**changes: Any) -> Ready:
    facts: dict[str, Any] = {
        "id": 1,
        "target": "target.gguf",
        "draft": None,
        "n_ctx": 64,
        "drafter": "auto",
        "drafters": ["lookup"],
        "threads": 1,
        "device": "CPU",
        "system_info": "CPU : AVX2 = 1 | ",
        "notices": [],
    }
    return Ready(**(facts | changes))


def finished(decode_tps: float | None = 100.0) -> Finished:
    stats = {
        "prompt_tokens": 3,
        "cached_tokens": 0,
        "output_tokens": 24,
        "steps": 24,
        "drafted": 0,
        "accepted": 0,
        "tested": 0,
        "acceptance_rate": None,
        "draft_efficiency": None,
        "mean_acceptance_length": None,
        "near_ties": [],
        "ttft_s": 0.1,
        "prefill_tps": None,
        "decode_tps": decode_tps,
        "plain_tps": None,
        "speedup": 1.0,
        "drafters": {},
        "engine_overhead_s": 0.0,
        "first_step_tokens": 1,
        "decode_s": 23 / decode_tps if decode_tps else 0.0,
    }
    answer = {"type": "Finished", "id": 1, "text": "It counts.", "token_ids": [1]}
    answer |= {"reason": "length", "seed": 0, "stats": stats, "context_used": 4}
    return msgspec.convert(answer, Finished)


class FakeEngine:
    """Dies in the answer while `survives` says so of the settings; then answers."""

    dies_by = signal.SIGSEGV

    def __init__(self, dies_with: bool = False, dies_without: bool = False) -> None:
        self.dies = {True: dies_with, False: dies_without}
        self.loaded: list[PairSettings] = []
        self.asked: list[tuple[Sequence[Message], float, int | None]] = []
        self.closed = False

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        self.loaded.append(pair)
        yield Loading(1, "target", 0.5)
        yield ready()

    async def ask(
        self, messages: Sequence[Message], sampling: SamplingSettings, predict: int | None = None
    ) -> AsyncIterator[Any]:
        self.asked.append((messages, sampling.temperature, predict))
        if self.dies[self.loaded[-1].use_extra_bufts]:
            name = self.dies_by.name
            raise EngineDied(f"The engine process ended by {name}.", signal=self.dies_by)
        yield finished()

    async def close(self) -> None:
        self.closed = True


def ask(engine: Any) -> Trial:
    return asyncio.run(try_engine(engine, PAIR))


def test_a_working_engine_is_asked_once_and_closed() -> None:
    engine = FakeEngine()
    assert ask(engine) == Answered(ready(), finished())
    assert engine.loaded == [PAIR]
    assert engine.closed


def test_the_question_is_short_and_greedy() -> None:
    engine = FakeEngine()
    ask(engine)
    [(messages, temperature, predict)] = engine.asked
    assert [message.role for message in messages] == ["user"]
    assert temperature == 0.0
    assert predict is not None


def test_a_crash_is_tried_again_without_optimised_kernels() -> None:
    engine = FakeEngine(dies_with=True)
    result = ask(engine)
    assert isinstance(result, Answered)
    assert "SIGSEGV" in result.crash
    assert [pair.use_extra_bufts for pair in engine.loaded] == [True, False]
    assert engine.loaded[1].draft == PAIR.draft


def test_an_engine_that_somebody_ended_tells_nothing_of_the_kernels() -> None:
    engine = FakeEngine(dies_with=True)
    engine.dies_by = signal.SIGKILL
    assert ask(engine) == Unanswered("The engine process ended by SIGKILL.")
    assert len(engine.loaded) == 1 and engine.closed


DYING_WORKER = """
import os, signal, sys, msgspec
from engine.messages import Ask, Command, Load
from tests.app.doctor.test_trial import finished, ready
for line in sys.stdin.buffer:
    command = msgspec.json.decode(line, type=Command)
    if isinstance(command, Load) and command.pair.use_extra_bufts:
        os.kill(os.getpid(), signal.SIGSEGV)
    event = ready(notices=["other"]) if isinstance(command, Load) else finished()
    event = msgspec.structs.replace(event, id=command.id)
    sys.stdout.buffer.write(msgspec.json.encode(event) + b"\\n")
    sys.stdout.buffer.flush()
"""


def test_a_crash_that_the_client_already_survived_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engine = EngineClient(tmp_path / "engine.log", (sys.executable, "-c", DYING_WORKER))
    result = ask(engine)
    assert isinstance(result, Answered)
    assert "SIGSEGV" in result.crash
    assert result.ready.notices == ["other"]


def test_a_gpu_without_room_is_no_fault_of_drafting() -> None:
    full = ready(notices=[GPU_HAS_NO_ROOM, "other"], gpu_crash="CUDA0: out of memory")

    class Full(FakeEngine):
        async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
            async for event in super().load(pair):
                yield full if isinstance(event, Ready) else event

    result = ask(Full())
    assert isinstance(result, Answered)
    assert result.ready.notices == ["other"] and result.ready.gpu_crash == full.gpu_crash


def test_a_second_crash_is_the_end() -> None:
    engine = FakeEngine(dies_with=True, dies_without=True)
    assert ask(engine) == Unanswered("The engine process ended by SIGSEGV.")
    assert len(engine.loaded) == 2
    assert engine.closed


def test_a_refused_model_is_not_tried_again() -> None:
    class Refusing(FakeEngine):
        async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
            self.loaded.append(pair)
            raise ModelFileError("No such file.")
            yield

    engine = Refusing()
    assert ask(engine) == Unanswered("No such file.")
    assert len(engine.loaded) == 1
    assert engine.closed


def test_a_silent_engine_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(FakeEngine):
        async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
            await asyncio.Event().wait()
            yield ready()

    monkeypatch.setattr(trial, "DEADLINE_S", 0.0)
    engine = Silent()
    assert ask(engine) == Unanswered("no answer within 0 seconds")
    assert engine.closed
