"""An engine process that plays a part: the loaded target's name says which."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import msgspec

from engine.messages import (
    Ask,
    Cancel,
    Command,
    Count,
    Counted,
    Delta,
    Event,
    Failed,
    Finished,
    Load,
    Loading,
    Ready,
    Span,
    Started,
)
from engine.proof.messages import Prove, Proving
from engine.stats import Counters

cancelled: set[int] = set()
ENDLESS = "a text that is counted for ever"
STATS = Counters(prompt_tokens=1, cached_tokens=0, began_s=0.0).stats()

CUDA_ERROR = """CUDA error: {}
  current device: 0, in function alloc at ggml/src/ggml-cuda/ggml-cuda.cu:515
  cuMemCreate(&handle, reserve_size, &prop, 0)
ggml/src/ggml-cuda/ggml-cuda.cu:103: CUDA error"""
"""What ggml-cuda.cu and GGML_ABORT print."""


def send(event: Event) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(event) + b"\n")
    sys.stdout.buffer.flush()


def load(command: Load) -> None:
    pair, target = command.pair, command.pair.target
    if target == "missing":
        send(Failed(id=command.id, kind="ModelFileError", message="no such file"))
        return
    device = "CUDA0" if "gpu" in target and pair.gpu_layers != 0 else "CPU"
    send(Loading(command.id, "target", 0.5, device))
    if device != "CPU" and "no room" in target:
        send(Failed(id=command.id, kind="NoRoom", message="cudaMalloc failed: out of memory"))
        return
    if device != "CPU" and "damaged" in target:
        send(Failed(id=command.id, kind="ModelFileError", message="it is damaged"))
        return
    if device != "CPU":
        print(CUDA_ERROR.format(target), file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if target == "out of memory" and pair.use_extra_bufts:
        os.kill(os.getpid(), signal.SIGKILL)
    if pair.draft == "fragile":
        send(Loading(command.id, "draft", 0.0))
        os.kill(os.getpid(), signal.SIGABRT)
    if pair.mmproj == "fragile":
        send(Loading(command.id, "sight", 0.0, device))
        os.kill(os.getpid(), signal.SIGABRT)
    if target == "slow":
        return
    if target == "verbose":
        sys.stdout.buffer.write(b"." * 2**20)
    if target == "garbled":
        sys.stdout.buffer.write(b"what?\n")
    if target == "hopeless" or ("fragile" in target and pair.use_extra_bufts):
        os.kill(os.getpid(), signal.SIGILL)
    send(
        Ready(
            id=command.id,
            target=target,
            draft=None,
            n_ctx=64,
            drafter="none",
            drafters=[],
            threads=pair.threads or 0,
            device="CPU",
            system_info=os.environ["OMP_PROC_BIND"],
            notices=[pair.sight_refused] if pair.sight_refused else [],
        )
    )


def answer(ask: Ask, part: str) -> None:
    send(Started(ask.id, 3, 0))
    n = 0
    while (n < 5 or part == "endless") and ask.id not in cancelled:
        send(Delta(ask.id, [Span("word ", "plain")], STATS, 0, 4))
        n += 1
        time.sleep(0.001)
        if n == 2:
            die(part)
    reason = "cancelled" if ask.id in cancelled else "stop"
    text = "word " * n
    send(
        Finished(
            id=ask.id,
            text=text,
            token_ids=[1] * n,
            reason=reason,
            seed=0,
            stats=STATS,
            context_used=4,
        )
    )


def die(part: str) -> None:
    deaths = {"segv": signal.SIGSEGV, "killed": signal.SIGKILL}
    if part in ("segv", "killed", "exit"):
        print("ggml said something", file=sys.stderr, flush=True)
    if part in deaths:
        os.kill(os.getpid(), deaths[part])
        time.sleep(60)
    if part == "exit":
        os._exit(3)


def main() -> None:
    part = ""
    for line in sys.stdin.buffer:
        command = msgspec.json.decode(line, type=Command)
        if isinstance(command, Load):
            part = command.pair.target
            load(command)
        elif isinstance(command, Cancel):
            cancelled.add(command.id)
        elif isinstance(command, Count):
            if command.text != ENDLESS:
                send(Counted(command.id, 5 + len(cancelled)))
        elif isinstance(command, Prove):
            send(Proving(command.id, "equality", 0.5))
            send(Failed(id=command.id, kind="DecodeError", message="no more"))
        else:
            threading.Thread(target=answer, args=(command, part), daemon=True).start()
    if part == "deaf":
        time.sleep(600)


if __name__ == "__main__":
    main()
