"""The engine process as the app holds it: start it, send commands, receive events, end it.

Commands go to its standard input and events come from its standard output, one JSON line each; what
llama.cpp prints goes to a log file. When it dies, `EngineDied` says how, with the log's last lines.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

import msgspec

from engine import errors
from engine.messages import Command, Event
from engine.process.environment import environment
from engine.system.deadline import OVERDUE

WORKER = (sys.executable, "-P", "-m", "engine.process.worker")
"""-P: a folder named engine where the person happens to be is not ours."""

LINE_LIMIT_BYTES = 64 * 2**20
REASONS = re.compile(r"GGML_ASSERT|^(CUDA|ROCm|MUSA) error: |out of memory", re.IGNORECASE)
LOG_TAIL_LINES = 3
"""Lines at the log's end that a death quotes where none of them gives a reason."""
REASON_LINES = 6
"""Among how many lines a reason is looked for: a GPU's is followed by three more."""
TAIL_BYTES = 4096
"""Of the log, where they are looked for."""
QUIT_GRACE_S = 2.0
SUDDEN = (signal.SIGTERM, signal.SIGKILL)
"""Signals from outside: what the log says last has nothing to do with them."""
KILLED = (
    "Most often memory ran out: close other programs, or try a smaller model, a smaller --ctx-size "
    "or --cache-type q8_0."
)
"""What to do where the system, or somebody else, ended it by SIGKILL."""
ENDLESS = "The model's chat template came to no end, so the engine process was ended."
GARBLED = "The engine process said what nobody understands, so it was ended."

_encode = msgspec.json.Encoder().encode


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    """Return what reads events. It is built within a loop, where Ctrl-C raises nothing: msgspec may
    crash of an exception in the midst of that.
    """
    return msgspec.json.Decoder(Event)


class EngineProcess:
    """One process, started when it is first needed and again after its death.

    log_path: where it writes what llama.cpp says. What the process before it wrote is kept beside
    it, as NAME.before.log. Where it cannot be written, nothing is kept but what a death quotes: an
    answer is worth more than its log.
    """

    def __init__(self, log_path: Path, command: Sequence[str] | None = None) -> None:
        self._log_path = log_path
        self._command = tuple(command or WORKER)
        self._process: asyncio.subprocess.Process | None = None
        self._ending: asyncio.subprocess.Process | None = None
        self._killed: asyncio.subprocess.Process | None = None  # by us
        self._batch_invariant = False
        self._log: int | None = None
        self._hint = ""

    def _let_go_of_log(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None

    @property
    def pid(self) -> int | None:
        """Its process id, None when it does not run; one that is being ended does until it has."""
        process = self._process or self._ending
        return process.pid if process is not None and process.returncode is None else None

    @property
    def is_open(self) -> bool:
        """Whether it runs, and takes commands."""
        return self._process is not None and self._process.returncode is None

    async def start(self, batch_invariant: bool = False) -> None:
        """Start it unless it runs, and anew where it shall compute otherwise: llama.cpp reads its
        environment once.
        """
        if self.is_open and batch_invariant == self._batch_invariant:
            return
        await self.close()
        self._batch_invariant = batch_invariant
        with self._opened_log() as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=LINE_LIMIT_BYTES,
                env={**environment(batch_invariant=batch_invariant), **os.environ},
                start_new_session=True,  # Ctrl-C in the terminal is the app's to handle
            )
            self._let_go_of_log()
            self._log = os.dup(log.fileno())  # another window may move the file away

    def _opened_log(self) -> IO[bytes]:
        """Open the log, or in its place what is gone with the process."""
        path = self._log_path
        with suppress(OSError):  # it says what the last one died of
            path.replace(path.with_suffix(".before.log"))
        try:
            log = open(path, "w+b", opener=_for_owner)  # noqa: SIM115 (who asked closes it)
        except OSError as error:
            self._hint = f"There is no log: {path}: {error.strerror}."
            return tempfile.TemporaryFile()
        self._hint = f"Log: {path}"
        return log

    async def send(self, command: Command) -> None:
        """Send a command. Raises EngineDied."""
        process = self._process
        if process is None or process.stdin is None:
            raise errors.EngineDied("The engine is not running.", "Load a pair first.")
        try:
            process.stdin.write(_encode(command) + b"\n")
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._obituary(process) from None

    async def receive(self) -> Event:
        """Wait for the next event. Raises EngineDied."""
        process = self._process
        if process is None or process.stdout is None:
            raise errors.EngineDied("The engine is not running.", "Load a pair first.")
        try:
            line = await process.stdout.readline()
            if line.endswith(b"\n"):
                return _decoder().decode(line)
        except (ValueError, msgspec.MsgspecError):  # longer than any line is, or none of ours
            self._kill(process)
            await process.wait()
            raise errors.EngineDied(GARBLED, self._hint) from None
        raise await self._obituary(process)

    async def ended(self) -> errors.EngineDied | None:
        """Wait until it ends by itself, and return how; None if it does not run, or was closed."""
        process = self._process
        if process is None:
            return None
        await process.wait()
        return await self._obituary(process) if process is self._process else None

    async def close(self) -> None:
        """End the engine process, and wait until it has ended, whoever else waits for that. Safe to
        call twice.
        """
        if self._process is not None:
            self._ending, self._process = self._process, None
            if self._ending.stdin is not None:
                self._ending.stdin.close()  # the worker ends when its commands do
        process = self._ending
        if process is None:
            return
        await self._end(process)
        if process is self._ending:  # else it was let go of, and another may run by now
            self._ending = None
            self._let_go_of_log()

    async def _end(self, process: asyncio.subprocess.Process) -> int:
        """Wait for the end of a process, and end it where that takes too long; return its code."""
        try:
            return await asyncio.wait_for(process.wait(), QUIT_GRACE_S)
        except TimeoutError:
            self._kill(process)
            return await process.wait()

    def _kill(self, process: asyncio.subprocess.Process) -> None:
        self._killed = process
        process.kill()

    async def _obituary(self, process: asyncio.subprocess.Process) -> errors.EngineDied:
        code = await self._end(process)
        is_of_others = code == -signal.SIGKILL and process is not self._killed
        hint = f"{KILLED} {self._hint}" if is_of_others else self._hint
        if OVERDUE is not None and code == -OVERDUE:
            return errors.EngineDied(ENDLESS, "Use another model.", signal=-code)
        how = f"by {_signal_name(-code)}" if code < 0 else f"with exit code {code}"
        tail = "" if -code in SUDDEN or self._log is None else _tail(self._log)
        said = f" Its last words: {tail}" if tail else ""
        return errors.EngineDied(
            f"The engine process ended {how}.{said}",
            hint,
            signal=-code if code < 0 else None,
        )


def _for_owner(path: str, flags: int) -> int:
    """Open a file which its owner alone may read."""
    return os.open(path, flags, 0o600)


def _signal_name(number: int) -> str:
    names = {known.value: known.name for known in signal.Signals}
    return names.get(number, f"signal {number}")


def _tail(log: int) -> str:
    """Return an open log's last lines as one line, or those among them that give a reason: an
    assertion, a GPU's error, memory that is full; "" if there is none.
    """
    try:
        end = os.fstat(log).st_size
        said = os.pread(log, TAIL_BYTES, max(0, end - TAIL_BYTES))
    except OSError:
        return ""
    lines = said.decode("utf-8", "replace").splitlines()[-REASON_LINES:]
    reasons = [line for line in lines if REASONS.search(line)]
    shown = reasons or lines[-LOG_TAIL_LINES:]
    return " / ".join(line.strip() for line in shown if line.strip())
