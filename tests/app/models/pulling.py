"""What the tests that download share: a model, the command, what lies in the store, a witness."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path
from unittest.mock import patch

import pytest

from app.cli import main
from app.models.catalog import ModelSpec
from app.models.retrying import Patience
from app.models.store import Store
from app.paths import Paths
from tests.hub.misbehaviour import (
    DropAfter,
    DropBeforeHeaders,
    Hang,
    Misbehaviour,
    StallAfter,
    Trickle,
)
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

REPO = "someone/model"
FILE = "model-q8_0.gguf"
NAME = f"{REPO}:{FILE}"
SPEC = ModelSpec(repo=REPO, file=FILE)
MIB = 2**20
SOON = Patience(
    connect_s=0.25,
    read_s=0.25,
    tries=3,
    first_pause_s=0.01,
    most_pause_s=0.02,
    longest_wait_s=2.0,
    slowest_bps=100_000.0,
    slow_s=0.2,
)
"""For who falls silent."""
BRISK = replace(
    SOON, connect_s=PATIENCE_S, read_s=PATIENCE_S, slow_s=PATIENCE_S, silent_s=PATIENCE_S
)
"""For who answers, if only with a failure: on a machine that is busy that takes its time."""


def model(size: int, seed: int = 1) -> bytes:
    """Return what begins like a GGUF file and is like nothing else."""
    return b"GGUF" + random.Random(seed).randbytes(size - 4)


CONTENT = model(1_500_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def store() -> Store:
    """The store that the command works with."""
    return Store(Paths().models_dir)


def target() -> Path:
    """Where the model is once it is installed."""
    return store().path_of(SPEC)


def part() -> bytes:
    """What has come of it so far."""
    path = target().with_name(FILE + ".part")
    return path.read_bytes() if path.exists() else b""


def pull(*words: str) -> int:
    """Run the command in this process."""
    return main(["pull", *(words or (NAME,))])


def patience_with(behaviour: Misbehaviour) -> Patience:
    """Return how patient to be with a hub that misbehaves so."""
    return SOON if isinstance(behaviour, Hang | StallAfter | Trickle) else BRISK


@contextmanager
def having(patience: Patience) -> Iterator[None]:
    """Have the commands of this process be so patient."""
    with patch.object(Patience.__init__, "__defaults__", astuple(patience)):
        yield


def pull_half(hub: Hub) -> int:
    """Leave half of the model behind, as a pull does whose connection broke for good."""
    half = len(CONTENT) // 2
    hub.misbehave(DropAfter(half), times=1)
    hub.misbehave(DropBeforeHeaders(), after=1)
    with having(BRISK):
        assert pull() == 1
    hub.behave()
    assert part() == CONTENT[:half]
    return half


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command which failed ends with."""
    lines = capsys.readouterr().err.splitlines()
    assert not any("Traceback" in line or "defect" in line for line in lines), lines
    assert [line for line in lines if line.startswith("slipstream: ")] == lines[-1:]
    return lines[-1].removeprefix("slipstream: ")


def started(*words: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", "pull", *(words or (NAME,))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.002)):
        if is_so():
            return
        pause.wait(0.002)
    raise AssertionError("it did not come to that")


@contextmanager
def witnessed(content: bytes = CONTENT) -> Iterator[list[int]]:
    """Look at the model's place all the while; yields the sizes of wrong files seen there."""
    wrong: list[int] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.001):
            found = target().read_bytes() if target().exists() else content
            if found != content:
                wrong.append(len(found))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield wrong
    finally:
        over.set()
        watcher.join()
