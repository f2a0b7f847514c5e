"""A kill loses at most the last second, and two apps can share a file."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from pathlib import Path

from app.history import History
from tests.app.history.chats import Clock, found, integrity, said, titles
from tests.app.history.streamer import PIECE, SHORT
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
FILES, KILLS, LOST_S = 3, 4, 1.0
STALL_S = 0.1
"""Who prints every few milliseconds and has not for so long stands still with its machine."""


def started(path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a process that writes to the history."""
    command = [sys.executable, "-m", "tests.app.history.streamer", str(path), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def killed_after(path: Path, delay_s: float) -> tuple[float, list[list[str]]]:
    """Kill a streaming process so long after its first piece; return when, and what it said."""
    with started(path) as process:
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line)
            if len(line.split()) == 3:
                break
        time.sleep(delay_s)
        at = time.monotonic()
        process.kill()
        lines += process.stdout.read().splitlines()
        assert process.wait() == -signal.SIGKILL
    return at, [line.split() for line in lines]


def held_up(lines: list[list[str]], until: float) -> list[tuple[float, float]]:
    """Return from when to when the process has waited for its disk, or stood still."""
    marks = [(float(line[0]), "piece") for line in lines if len(line) == 3 and line[0] != "flushed"]
    marks += [(float(at), word) for word, at in (line for line in lines if len(line) == 2)]
    marks = [*sorted(mark for mark in marks if mark[0] < until), (until, "killed")]
    waits, is_writing = [], False
    for (start, word), (end, _) in pairwise(marks):
        if word != "piece":
            is_writing = word == "begun"
        if is_writing or end - start > STALL_S:
            waits.append((start, end))
    return waits


def running_s(waits: list[tuple[float, float]], since: float, until: float) -> float:
    """Return how much of that time the process was not held up."""
    held_s = sum(max(0.0, end - max(since, start)) for start, end in waits)
    return until - since - held_s


def kills_survived(path: Path, clock: Clock, moments: Sequence[float]) -> int:
    """Kill who writes to this file at each of these moments; return how many pieces had to be left
    by then, and were.
    """
    checked = 0
    for moment in moments:
        at, lines = killed_after(path, moment)
        assert integrity(path) == "ok"
        history = History.open(path, clock=clock)
        assert history.notice == "" and history.flush()
        chats = map(history.chat, (info.id for info in history.chats(limit=1000)))
        texts = {it.id: it.content for chat in chats for it in chat.messages}
        waits = held_up(lines, at)
        for when, message, pieces in (line for line in lines if len(line) == 3):
            if when == "flushed" or running_s(waits, float(when), at) > LOST_S:
                expected = "".join(map(PIECE.format, range(int(pieces))))
                assert texts[int(message)].startswith(expected)
                checked += 1
        assert found(history, "go on") and found(history, PIECE.format(0))
        assert history.close()
    return checked


def test_a_kill_at_any_moment_loses_at_most_the_last_second(tmp_path: Path, clock: Clock) -> None:
    random_numbers = random.Random(5)
    moments = [[random_numbers.uniform(0.05, 2.6) for _ in range(KILLS)] for _ in range(FILES)]
    paths = [tmp_path / str(n) / "history.db" for n in range(FILES)]
    with ThreadPoolExecutor(FILES) as at_once:
        checked = at_once.map(kills_survived, paths, repeat(clock), moments)
    assert sum(checked) > SHORT, "some were killed late enough to tell"


def test_two_processes_write_the_same_file_at_once(path: Path, clock: Clock) -> None:
    said(history := History.open(path, clock=clock), "mine")
    assert history.flush()
    processes = [started(path, "25", name) for name in ("left", "right")]
    for number in range(10):
        said(history, f"here {number}")
        assert history.flush()
        history.search("answer")
    assert [process.wait(PATIENCE_S) for process in processes] == [0, 0]
    for process in processes:
        process.communicate()
    expected = {"mine", *(f"here {n}" for n in range(10))}
    expected |= {f"{name} {n}" for name in ("left", "right") for n in range(25)}
    history.flush()
    assert {chat.title for chat in history.chats(limit=1000)} == expected
    assert len(titles(history)) == 50
    assert history.close() and integrity(path) == "ok"


def test_two_processes_begin_the_same_file_at_once(path: Path, clock: Clock) -> None:
    processes = [started(path, "1", str(number)) for number in range(4)]
    assert [process.wait(PATIENCE_S) for process in processes] == [0] * 4
    for process in processes:
        process.communicate()
    history = History.open(path, clock=clock)
    assert sorted(titles(history)) == [f"{number} 0" for number in range(4)]
    assert history.close() and integrity(path) == "ok"
