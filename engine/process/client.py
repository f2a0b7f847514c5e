"""What the app holds of the engine: start it, load a pair, ask, cancel, close.

The engine is a child process (worker.py) that reads commands from its standard input and writes
events to its standard output, one JSON line each; what llama.cpp prints goes to a log file. A crash
there cannot take the app down: it surfaces as `EngineDied`, with the signal and the log's last
lines, and the next `load` starts a new process. One answer runs at a time.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path

import msgspec

from engine import errors
from engine.messages import (
    Ask,
    Cancel,
    Count,
    Counted,
    Delta,
    Failed,
    Finished,
    Load,
    Loading,
    Message,
    Ready,
    Started,
)
from engine.process.attempt import CPU, Attempt
from engine.process.child import EngineProcess
from engine.proof.messages import Proof, Prove, Proving
from engine.settings import PairSettings, SamplingSettings
from engine.system.threads import default_threads

ANSWERS = Started | Delta | Finished | Failed


class EngineClient:
    """One engine process and the requests sent to it.

    log_path: where the process writes what llama.cpp says; its folder must exist.
    """

    def __init__(self, log_path: Path, command: Sequence[str] | None = None) -> None:
        self._process = EngineProcess(log_path, command)
        self._ids = itertools.count(1)
        self._asking: int | None = None
        self._is_loading = False
        self._reading = asyncio.Lock()  # a count or a proof reads what the process writes

    @property
    def pid(self) -> int | None:
        """The engine's process id, None when it does not run."""
        return self._process.pid

    @property
    def answering(self) -> bool:
        """Whether an answer is running."""
        return self._asking is not None

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        """Load a pair, starting the engine if need be; ends with Ready. Raises EngineError.

        Loading tries the kernels out. If that kills the process, it is started once more, without
        the projector or the draft model where that was being loaded, else without the GPU where
        there is one, else without the optimised kernels, and Ready says so. It is tried without the
        GPU, too, where that has no room and nobody said how many layers it is to take.
        """
        attempt = Attempt(pair)
        while True:
            stage, device = "target", CPU
            try:
                async with aclosing(self._load(attempt.pair)) as events:
                    async for event in events:
                        if isinstance(event, Ready):
                            yield attempt.told(event)
                            continue
                        stage = event.stage if event.stage != "probe" else stage
                        device = event.device
                        yield event
                return
            except errors.NoRoom as refusal:
                if not attempt.has_less_for_room(refusal, device):
                    raise
            except errors.EngineDied as death:
                if not attempt.has_less_after(death, stage, device):
                    why = f"Loading {attempt.pair.target} failed. {death.args[0]}"
                    raise errors.EngineDied(why, death.hint, death.signal) from None

    async def _load(self, pair: PairSettings) -> AsyncGenerator[Loading | Ready, None]:
        self._is_loading = True
        try:
            async with self._reading:
                pass  # that ends before anything else begins
            threads = pair.threads or default_threads()
            await self._process.start(pair.batch_invariant)
            request = next(self._ids)
            await self._process.send(Load(request, msgspec.structs.replace(pair, threads=threads)))
            while True:
                event = await self._process.receive()
                if event.id != request:
                    continue  # the tail of something that was abandoned
                match event:
                    case Loading():
                        yield event
                    case Ready():
                        self._is_loading = False
                        yield event
                        return
                    case Failed():
                        raise _error(event)
        finally:
            self._is_loading = False

    async def count(self, what: str | Sequence[Message], think: bool | None = None) -> int | None:
        """Return how many tokens a text has, or the prompt that messages make; None while the
        engine has something else to do, or has no model. think: as in `ask`. Raises EngineDied.
        """
        text, messages = (what, []) if isinstance(what, str) else ("", list(what))
        is_idle = self._asking is None and not self._is_loading and self._process.is_open
        if not is_idle or self._reading.locked():
            return None
        async with self._reading:
            request = next(self._ids)
            try:
                await self._process.send(Count(request, text, messages, think))
                while True:
                    event = await self._process.receive()
                    if event.id == request:
                        return event.n if isinstance(event, Counted) else None
            except asyncio.CancelledError:
                await self._cancel(request)  # else what comes next waits behind it
                raise

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        trace: bool = False,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Answer the messages; ends with Finished, also when cancelled. Raises EngineError.

        drafter: who drafts this answer, None for the pair's own; trace: Deltas tell of each step;
        think: whether the model is to think first, None as its chat template has it.
        Closing the iterator early cancels the answer. One answer runs at a time.
        """
        if self._asking is not None:
            raise errors.EngineError("The engine is answering.", "Wait, or cancel that answer.")
        request = self._asking = next(self._ids)
        told, stops = list(messages), list(stop)
        command = Ask(request, told, sampling, predict, stops, drafter, trace, think)
        try:
            async with self._reading:
                pass
            await self._process.send(command)
            while self._asking == request:
                yield await self._receive(request)
        finally:
            if self._asking == request:
                self._asking = None
                await self._cancel(request)

    async def _receive(self, request: int) -> Started | Delta | Finished:
        """Return what comes next of an answer. Raises EngineError where that is a failure."""
        while True:
            event = await self._process.receive()
            if event.id == request and isinstance(event, ANSWERS):
                break  # all else is the tail of something that was abandoned
        if isinstance(event, Failed | Finished):
            self._asking = None
        if isinstance(event, Failed):
            raise _error(event)
        return event

    async def prove(
        self, seconds: float, sampling: SamplingSettings
    ) -> AsyncIterator[Proving | Proof]:
        """Prove on the loaded pair that drafting changes nothing, in about so many seconds.

        Temperatures are the proof's own, all else of `sampling` holds. Ends with Proof. Raises
        EngineError.
        """
        async with self._reading:
            request = next(self._ids)
            await self._process.send(Prove(request, seconds, sampling))
            while True:
                event = await self._process.receive()
                if event.id != request:
                    continue
                match event:
                    case Proving():
                        yield event
                    case Proof():
                        yield event
                        return
                    case Failed():
                        raise _error(event)

    async def cancel(self) -> None:
        """Stop the running answer, if there is one; its iterator then ends with Finished."""
        if self._asking is not None:
            await self._cancel(self._asking)

    async def ended(self) -> errors.EngineDied | None:
        """Wait until the engine process ends by itself, and return how; None if none runs, or as
        soon as it is closed.
        """
        return await self._process.ended()

    async def close(self) -> None:
        """End the engine process. Safe to call twice."""
        await self._process.close()

    async def _cancel(self, request: int) -> None:
        try:
            await self._process.send(Cancel(request))
        except errors.EngineDied:
            return  # nothing left to stop; the next call says so


def _error(failed: Failed) -> errors.EngineError:
    """Rebuild the worker's exception by its name in the error tree."""
    kind = getattr(errors, failed.kind, errors.EngineError)
    error: errors.EngineError = kind(failed.message)
    return error
