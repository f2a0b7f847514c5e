"""What the app holds of the engine: start it, load a pair, ask, cancel, close.

The engine is a child process (worker.py) that reads commands from its standard input and writes
events to its standard output, one JSON line each; what llama.cpp prints goes to a log file. A crash
there cannot take the app down: it surfaces as `EngineDied`, with the signal and the log's last
lines, and the next `load` starts a new process. One answer runs at a time.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path

import msgspec

from engine import errors
from engine.messages import (
    Ask,
    Cancel,
    Command,
    Delta,
    Event,
    Failed,
    Finished,
    Load,
    Loading,
    Message,
    Proof,
    Prove,
    Proving,
    Ready,
    Started,
)
from engine.settings import PairSettings, SamplingSettings
from engine.threads import ENVIRONMENT, default_threads

WORKER = (sys.executable, "-P", "-m", "engine.worker")
"""-P: a folder named engine where the person happens to be is not ours."""

CRASHES = {signal.SIGILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT}
LINE_LIMIT_BYTES = 64 * 2**20
LOG_TAIL_LINES = 3
QUIT_GRACE_S = 2.0
KERNELS_CRASHED = (
    "The optimised kernels crash on this machine; going on without them, slower. "
    "`slipstream doctor` tells how to mend it."
)

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class EngineClient:
    """One engine process and the requests sent to it.

    log_path: where the process writes what llama.cpp says; its folder must exist.
    """

    def __init__(self, log_path: Path, command: Sequence[str] | None = None) -> None:
        self._log_path = log_path
        self._command = tuple(command or WORKER)
        self._process: asyncio.subprocess.Process | None = None
        self._ids = itertools.count(1)
        self._asking: int | None = None

    @property
    def pid(self) -> int | None:
        """The engine's process id, None when it does not run."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    @property
    def answering(self) -> bool:
        """Whether an answer is running."""
        return self._asking is not None

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        """Load a pair, starting the engine if need be; ends with Ready. Raises EngineError.

        Loading tries the kernels out. If that kills the process, it is started once more without
        the optimised ones, and Ready says so.
        """
        try:
            async for event in self._load(pair):
                yield event
        except errors.EngineDied as death:
            if not pair.use_extra_bufts or death.signal not in CRASHES:
                raise
            async for event in self._load(msgspec.structs.replace(pair, use_extra_bufts=False)):
                if isinstance(event, Ready):
                    notices = [KERNELS_CRASHED, *event.notices]
                    event = msgspec.structs.replace(event, notices=notices, crash=str(death))
                yield event

    async def _load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        threads = pair.threads or default_threads()
        await self._start()
        request = next(self._ids)
        await self._send(Load(request, msgspec.structs.replace(pair, threads=threads)))
        while True:
            event = await self._receive()
            if event.id != request:
                continue  # the tail of something that was abandoned
            match event:
                case Loading():
                    yield event
                case Ready():
                    yield event
                    return
                case Failed():
                    raise _error(event)

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        trace: bool = False,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Answer the messages; ends with Finished, also when cancelled. Raises EngineError.

        drafter: who drafts this answer, None for the pair's own; trace: Deltas tell of each step.
        Closing the iterator early cancels the answer. One answer runs at a time.
        """
        if self._asking is not None:
            raise errors.EngineError("The engine is answering.", "Wait, or cancel that answer.")
        request = self._asking = next(self._ids)
        ended = False
        try:
            await self._send(
                Ask(
                    request,
                    list(messages),
                    sampling=sampling,
                    predict=predict,
                    stop=list(stop),
                    drafter=drafter,
                    trace=trace,
                )
            )
            while not ended:
                event = await self._receive()
                if event.id != request or isinstance(event, Loading | Ready | Proving | Proof):
                    continue  # the tail of something that was abandoned
                ended = isinstance(event, Failed | Finished)
                if ended:
                    self._asking = None
                if isinstance(event, Failed):
                    raise _error(event)
                yield event
        finally:
            if not ended:
                self._asking = None
                await self._cancel(request)

    async def prove(
        self, seconds: float, sampling: SamplingSettings
    ) -> AsyncIterator[Proving | Proof]:
        """Prove on the loaded pair that drafting changes nothing, in about so many seconds.

        Temperatures are the proof's own, all else of `sampling` holds. Ends with Proof. Raises
        EngineError.
        """
        request = next(self._ids)
        await self._send(Prove(request, seconds, sampling))
        while True:
            event = await self._receive()
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

    async def close(self) -> None:
        """End the engine process. Safe to call twice."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()  # the worker ends when its commands do
        try:
            await asyncio.wait_for(process.wait(), QUIT_GRACE_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _start(self) -> None:
        if self.pid is not None:
            return
        with self._log_path.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=LINE_LIMIT_BYTES,
                env={**ENVIRONMENT, **os.environ},
                start_new_session=True,  # Ctrl-C in the terminal is the app's to handle
            )

    async def _send(self, command: Command) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise errors.EngineDied("The engine is not running.", "Load a pair first.")
        try:
            process.stdin.write(_encode(command) + b"\n")
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._obituary(process) from None

    async def _receive(self) -> Event:
        process = self._process
        if process is None or process.stdout is None:
            raise errors.EngineDied("The engine is not running.", "Load a pair first.")
        line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise await self._obituary(process)
        return _decoder.decode(line)

    async def _cancel(self, request: int) -> None:
        try:
            await self._send(Cancel(request))
        except errors.EngineDied:
            return  # nothing left to stop; the next call says so

    async def _obituary(self, process: asyncio.subprocess.Process) -> errors.EngineDied:
        try:
            code = await asyncio.wait_for(process.wait(), QUIT_GRACE_S)
        except TimeoutError:
            process.kill()
            code = await process.wait()
        how = f"by {_signal_name(-code)}" if code < 0 else f"with exit code {code}"
        tail = _tail(self._log_path)
        said = f" Its last words: {tail}" if tail else ""
        return errors.EngineDied(
            f"The engine process ended {how}.{said}",
            f"Log: {self._log_path}",
            signal=-code if code < 0 else None,
        )


def _error(failed: Failed) -> errors.EngineError:
    """Rebuild the worker's exception by its name in the error tree."""
    kind = getattr(errors, failed.kind, errors.EngineError)
    error: errors.EngineError = kind(failed.message)
    return error


def _signal_name(number: int) -> str:
    names = {known.value: known.name for known in signal.Signals}
    return names.get(number, f"signal {number}")


def _tail(path: Path) -> str:
    """Return the log's last lines as one line; "" if there is none."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, os.path.getsize(path) - 4096))
            lines = log.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return " / ".join(line.strip() for line in lines[-LOG_TAIL_LINES:] if line.strip())
