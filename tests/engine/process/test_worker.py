"""The engine process's own: telling the app never holds up who computes."""

import io
import subprocess
import sys
import threading

import msgspec
import pytest

from engine.errors import TemplateError
from engine.messages import Count, Counted, Failed, Message
from engine.process.worker import Outbox, Worker
from tests.patience import PATIENCE_S


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
        [sys.executable, "-m", "engine.process.worker"],
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


class Defective:
    """An engine with a defect, whose state is then not to be trusted."""

    n_recovered = 0

    def __init__(self, error):
        self.error = error

    def count(self, *_):
        raise self.error

    def recover(self):
        self.n_recovered += 1


class Commands:
    """Two commands, and then the end of the process."""

    def __init__(self):
        messages = [Message(role="user", content="Why?")]
        self.left = [Count(1, "", messages), Count(2, "", messages)]
        self.cancelled = set()

    def is_cancelled(self, request):
        return request in self.cancelled

    def next(self):
        if not self.left:
            raise SystemExit
        return self.left.pop(0)


class Events(list):
    send = list.append


def carried_out(error):
    """Return what is told of two counts that fail so, and the engine that they were asked of."""
    return worked_off(Commands(), Defective(error))


def worked_off(commands, engine):
    """Return what is told of all commands, and the engine."""
    sent = Events()
    worker = Worker(commands, sent)
    worker._engine = engine
    with pytest.raises(SystemExit):
        worker.run()
    return sent, engine


def test_after_a_defect_nothing_cached_is_trusted_and_the_engine_goes_on():
    sent, engine = carried_out(IndexError("index 40 is out of bounds"))
    assert [type(event) for event in sent] == [Failed, Failed]
    assert "IndexError" in sent[0].message
    assert engine.n_recovered == 2


class Counting:
    """An engine that counts, and notes how often."""

    n_counted = 0

    def count(self, *_):
        self.n_counted += 1
        return 7


def test_a_count_that_nobody_waits_for_any_more_costs_nothing_and_is_not_told():
    commands = Commands()
    commands.cancelled.add(1)
    sent, engine = worked_off(commands, Counting())
    assert sent == [Counted(2, 7)]
    assert engine.n_counted == 1


@pytest.mark.parametrize("kind", [TemplateError, ValueError])
def test_what_failed_is_told_in_few_words_however_much_a_file_has_to_say(kind):
    sent, _ = carried_out(kind("x" * 10**5))
    assert all("xxx" in event.message and len(event.message) < 2100 for event in sent)


def test_words_that_are_no_text_are_told_with_marks_in_their_place():
    sent, _ = carried_out(TemplateError("\ud83d one question only"))
    assert sent[0].message == "? one question only"
    assert msgspec.json.encode(sent[0])
