"""The engine process: commands in on standard input, events out on standard output, JSON lines.

llama.cpp may end this process at any time, which is why it is a process. When its input closes, the
app is gone and it ends at once. What anything here prints goes to standard error, the log.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import sys
import threading
import traceback
from functools import partial
from typing import BinaryIO

import msgspec

from engine.answer import Answer, warm_up
from engine.assemble import Engine
from engine.errors import DecodeError, EngineError
from engine.llama.devices import device_name
from engine.loading.models import Progress
from engine.messages import (
    Ask,
    Cancel,
    Command,
    Count,
    Counted,
    Event,
    Failed,
    Finished,
    Load,
    Loading,
)
from engine.proof.messages import Prove, Proving

PROGRESS_STEP = 0.05
"""Of a load: the share of a stage from one report to the next."""
PROOF_STEP = 0.005
"""The same of a proof, whose stages are one behind the other."""
LONGEST_SAVE_S = 1.5
"""How long the end waits for what is being saved: less than the app waits for the end."""


class Inbox:
    """Reads commands on a thread of its own, so that a cancel is seen while an answer is made.

    saving: held while something is saved, which the end of the commands lets be done.
    """

    def __init__(self, source: BinaryIO) -> None:
        self.saving = threading.Lock()
        self._source = source
        self._commands: queue.SimpleQueue[Load | Ask | Prove | Count] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def next(self) -> Load | Ask | Prove | Count:
        """Wait for the next command that is not a cancel."""
        return self._commands.get()

    def is_cancelled(self, request: int) -> bool:
        """Whether request `request` is to stop."""
        return request in self._cancelled

    def _read(self) -> None:
        decoder = msgspec.json.Decoder(Command)
        code = 1  # of a command that cannot be read: the traceback is in the log
        try:
            for line in self._source:
                command = decoder.decode(line)
                if isinstance(command, Cancel):
                    self._cancelled.add(command.id)
                else:
                    self._commands.put(command)
            code = 0
        except msgspec.MsgspecError:
            traceback.print_exc()
        finally:
            self.saving.acquire(timeout=LONGEST_SAVE_S)
            os._exit(code)  # the app is gone


class Outbox:
    """Writes events, on a thread of its own: while llama.cpp computes.

    A write wakes the app. Where all cores are computing, the app then takes the one that wrote, and
    the next forward would begin that much later.
    """

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        threading.Thread(target=self._write, name="outbox", daemon=True).start()

    def send(self, event: Event) -> None:
        """Have one event written behind those before it. It must not change any more."""
        self._events.put(event)

    def _write(self) -> None:
        encode = msgspec.json.Encoder().encode
        try:
            while True:
                self._sink.write(encode(self._events.get()) + b"\n")
                self._sink.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)  # nobody hears of anything any more


class Worker:
    """Carries commands out, one at a time."""

    def __init__(self, inbox: Inbox, outbox: Outbox) -> None:
        self._inbox, self._outbox = inbox, outbox
        self._engine: Engine | None = None

    def run(self) -> None:
        """Serve for ever; the inbox ends the process."""
        while True:
            command = self._inbox.next()
            try:
                self._carry_out(command)
            except EngineError as error:
                if isinstance(error, DecodeError) and self._engine is not None:
                    self._engine.recover()
                self._fail(command.id, error)
            except Exception as error:
                traceback.print_exc()
                if self._engine is not None:
                    self._engine.recover()
                self._fail(command.id, EngineError(f"A defect in the engine: {error!r}."))

    def _carry_out(self, command: Load | Ask | Prove | Count) -> None:
        match command:
            case Load():
                self._load(command)
            case Ask():
                self._answer(command)
            case Prove():
                self._prove(command)
            case Count():
                self._count(command)

    def _fail(self, request: int, error: EngineError) -> None:
        self._outbox.send(Failed(id=request, kind=type(error).__name__, message=str(error)))

    def _load(self, load: Load) -> None:
        if self._engine is not None:
            self._engine.free()
            self._engine = None

        device = device_name(load.pair.gpu_layers)

        def send(stage: str, fraction: float) -> None:
            self._outbox.send(Loading(load.id, stage, fraction, device))

        self._engine = Engine(load.pair, _thinned(send, PROGRESS_STEP))
        warm_up(self._engine)
        gc.collect()
        gc.freeze()
        self._outbox.send(self._engine.ready(load.id))

    def _loaded(self) -> Engine:
        """Return the engine. Raises EngineError if nothing is loaded."""
        if self._engine is None:
            raise EngineError("No model is loaded.", "Load a pair first.")
        return self._engine

    def _answer(self, ask: Ask) -> None:
        engine = self._loaded()
        gc.disable()  # a collection in mid-answer would be a pause in mid-word
        try:
            is_cancelled = partial(self._inbox.is_cancelled, ask.id)
            answer = Answer(engine, ask, is_cancelled, self._outbox.send)
            for event in answer.events():
                if isinstance(event, Finished):
                    with self._inbox.saving:  # whoever has that event may go at once
                        self._outbox.send(event)
                        engine.remember(answer.tokens)
                else:
                    self._outbox.send(event)
        finally:
            gc.enable()

    def _count(self, command: Count) -> None:
        if self._inbox.is_cancelled(command.id):
            return  # nobody waits for it any more
        engine = self._loaded()
        if command.messages:
            n = engine.count(command.messages, command.think)
        else:
            n = len(engine.model.tokenize(command.text, special=False))
        self._outbox.send(Counted(command.id, n))

    def _prove(self, command: Prove) -> None:
        from engine.proof.prover import Prover

        engine = self._loaded()

        def send(stage: str, fraction: float) -> None:
            self._outbox.send(Proving(command.id, stage, fraction))

        try:
            prover = Prover(engine, command, _thinned(send, PROOF_STEP))
            self._outbox.send(prover.prove())
        finally:
            engine.recover()


def _thinned(send: Progress, step: float) -> Progress:
    """Return what sends a stage's beginning, its end, and what is `step` further between them."""
    sent = ("", 0.0)

    def progress(stage: str, fraction: float) -> None:
        nonlocal sent
        if stage != sent[0] or fraction >= 1.0 or fraction - sent[1] >= step:
            sent = (stage, fraction)
            send(stage, fraction)

    return progress


def main() -> None:
    """Serve on the standard streams; keep everything else that prints away from them.

    Ctrl-C is the app's to handle, even if it reaches this process too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Worker(Inbox(sys.stdin.buffer), Outbox(sink)).run()


if __name__ == "__main__":
    main()
