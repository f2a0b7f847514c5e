"""Asks the embedded pair one question in the engine process, to learn what this machine survives.

llama.cpp's optimised kernels can end the process on some combinations of compiler and processor. At
load the client itself goes on without them and says so; if they hold until the answer, the question
is asked again without them. Either way the result names the crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from engine import (
    CRASHES,
    GPU_CRASHED,
    GPU_HAS_NO_ROOM,
    KERNELS_CRASHED,
    Delta,
    EngineDied,
    EngineError,
    Finished,
    Loading,
    Message,
    PairSettings,
    Ready,
    SamplingSettings,
    Started,
)

QUESTION = "What does len() do?"
PREDICT = 24
DEADLINE_S = 60.0


class Engine(Protocol):
    """What a trial needs of `EngineClient`."""

    def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]: ...

    def ask(
        self, messages: Sequence[Message], sampling: SamplingSettings, predict: int | None = None
    ) -> AsyncIterator[Started | Delta | Finished]: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """The engine works. crash: how the optimised kernels ended it, "" if they did not.

    ready's notices are the others.
    """

    ready: Ready
    finished: Finished
    crash: str = ""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The engine does not work. reason: one line."""

    reason: str


Trial = Answered | Unanswered


async def try_engine(engine: Engine, pair: PairSettings) -> Trial:
    """Ask the question with this pair, at most twice, and close the engine."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await _try_twice(engine, pair)
    except TimeoutError:
        return Unanswered(f"no answer within {DEADLINE_S:.0f} seconds")
    except (EngineError, OSError) as error:
        return Unanswered(str(error))
    finally:
        await engine.close()


async def _try_twice(engine: Engine, pair: PairSettings) -> Trial:
    try:
        return await _ask(engine, pair, crash="")
    except EngineDied as death:
        if death.signal not in CRASHES:  # somebody ended it, or the system for want of memory
            raise
        plain_kernels = msgspec.structs.replace(pair, use_extra_bufts=False)
        return await _ask(engine, plain_kernels, crash=str(death))


async def _ask(engine: Engine, pair: PairSettings, crash: str) -> Trial:
    ready = finished = None
    async for loading in engine.load(pair):
        ready = loading if isinstance(loading, Ready) else ready
    question = [Message(role="user", content=QUESTION)]
    async for event in engine.ask(question, SamplingSettings(temperature=0.0), PREDICT):
        finished = event if isinstance(event, Finished) else finished
    if ready is None or finished is None:
        return Unanswered("the engine stopped without an answer")
    told_elsewhere = (GPU_CRASHED, GPU_HAS_NO_ROOM, KERNELS_CRASHED)
    others = [n for n in ready.notices if not n.startswith(told_elsewhere)]
    ready = msgspec.structs.replace(ready, notices=others)
    return Answered(ready, finished, crash or ready.crash)
