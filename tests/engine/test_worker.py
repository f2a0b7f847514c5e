"""The engine process's own: telling the app never holds up who computes."""

import io
import subprocess
import sys
import threading

import msgspec

from engine.messages import Count, Counted
from engine.worker import Outbox

PATIENCE_S = 20.0


class Slow(io.BytesIO):
    """A pipe whose reader takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.may_write, self.flushed = threading.Event(), threading.Semaphore(0)

    def write(self, line) -> int:
        self.may_write.wait(PATIENCE_S)
        return super().write(line)

    def flush(self) -> None:
        self.flushed.release()


def test_sending_does_not_wait_for_the_reader_and_events_keep_their_order():
    sink = Slow()
    outbox = Outbox(sink)
    for n in range(3):
        outbox.send(Counted(n, 10 * n))
    assert sink.getvalue() == b""
    sink.may_write.set()
    assert all(sink.flushed.acquire(timeout=PATIENCE_S) for _ in range(3))
    lines = sink.getvalue().splitlines()
    assert [msgspec.json.decode(line, type=Counted).n for line in lines] == [0, 10, 20]


def test_an_engine_that_nobody_hears_ends():
    worker = subprocess.Popen(
        [sys.executable, "-m", "engine.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdout.close()
    worker.stdin.write(msgspec.json.encode(Count(1, "text")) + b"\n")  # fails: no model is loaded
    worker.stdin.flush()
    assert worker.wait(timeout=PATIENCE_S) == 1
    worker.stdin.close()
