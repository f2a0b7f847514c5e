"""Downloads in the long form: `python -m tests.lab.pulls`.

Pulls that are cut at random bytes and pulls that end with kill -9, each resumed to the right hash:
how much was fetched twice, and whether a wrong file was ever seen under the model's name. Then the
throughput of a large file beside curl's, from the same hub in the same run, in turns; the memory
of both. All is on the loopback, so that neither waits for a network. `--cuts`, `--kills`, `--pairs`
and `--megabytes` make it shorter.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.hub.misbehaviour import DropAfter, Misbehaviour, ServerError, Trickle
from tests.hub.server import Hub

REPO, FILE = "lab/model", "model.gguf"
NAME = f"{REPO}:{FILE}"
MIB = 2**20
SIZE = 3_000_000
SEED = 1
QUIET = subprocess.DEVNULL


@dataclass(slots=True)
class Tally:
    """What became of many pulls."""

    resumed: int = 0
    refetched: list[int] = field(default_factory=list)
    wrong_seen: int = 0

    def row(self, name: str) -> str:
        """Return a line of the table."""
        most = max(self.refetched, default=0) / MIB
        count = len(self.refetched)
        return f"{name:24} {self.resumed:3} of {count:3} {most:14.3f} {self.wrong_seen:12}"


class Lab:
    """A hub, and a folder that the command takes for the person's own."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub, self._folder = hub, folder
        self._store = folder / "models"
        self._environment = {
            **os.environ,
            **{f"XDG_{name}_HOME": str(folder) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
            "HF_ENDPOINT": hub.endpoint,
            "HF_HOME": str(folder / "hugging"),
            "SLIPSTREAM_MODELS_DIR": str(self._store),
            "NO_PROXY": "*",
        }

    @property
    def target(self) -> Path:
        """The model's place."""
        return self._store / REPO / FILE

    def forget(self) -> None:
        """Throw away what was pulled."""
        shutil.rmtree(self._store, ignore_errors=True)

    def start(self) -> subprocess.Popen[bytes]:
        """Start a pull in a process of its own."""
        words = [sys.executable, "-m", "app.cli", "pull", NAME]
        return subprocess.Popen(words, env=self._environment, stdout=QUIET, stderr=QUIET)


@contextmanager
def witnessed(target: Path, content: bytes, tally: Tally) -> Iterator[None]:
    """Look at the model's place all the while."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.001):
            if target.exists() and target.read_bytes() != content:
                tally.wrong_seen += 1

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def interrupted(lab: Lab, count: int, content: bytes, is_cut: bool) -> Tally:
    """Interrupt pulls at random bytes, and go on with each. A cut is followed by a server
    that fails once, so that the pull goes through a pause.
    """
    tally, luck = Tally(), random.Random(SEED)
    for _ in range(count):
        lab.forget()
        moment, before = luck.randrange(SIZE), lab.hub.sent_bytes(FILE)
        behaviours: list[Misbehaviour] = [DropAfter(moment)] if is_cut else [Trickle(65_536, 0.005)]
        for behaviour in behaviours:
            lab.hub.misbehave(behaviour, times=1)
        if is_cut:
            lab.hub.misbehave(ServerError(), times=1, after=1)
        with witnessed(lab.target, content, tally):
            process = lab.start()
            if not is_cut:
                kill_at(lab.hub, process, before + moment)
                lab.hub.behave()
                process = lab.start()
            process.wait()
        lab.hub.behave()
        is_right = lab.target.exists() and lab.target.read_bytes() == content
        tally.resumed += process.returncode == 0 and is_right
        tally.refetched.append(lab.hub.sent_bytes(FILE) - before - SIZE)
    return tally


def kill_at(hub: Hub, process: subprocess.Popen[bytes], sent: int) -> None:
    """Kill a pull once so many bytes were sent."""
    while hub.sent_bytes(FILE) < sent and process.poll() is None:
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()


@dataclass(frozen=True, slots=True)
class Run:
    """A download that was measured, its process from beginning to end."""

    seconds: float
    peak_mib: float


def measured(process: subprocess.Popen[bytes]) -> Run:
    """Wait for a process that was just started."""
    begin = time.monotonic()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, "it should have worked"
    return Run(time.monotonic() - begin, usage.ru_maxrss / 1024)


def beside_curl(lab: Lab, pairs: int, source: Path) -> Iterator[tuple[Run, Run]]:
    """Yield a pull and curl's download of the same file, in turns."""
    elsewhere = source.with_name("curled")
    url = f"{lab.hub.endpoint}/{REPO}/resolve/main/{FILE}"
    for _ in range(pairs):
        lab.forget()
        pulled = measured(lab.start())
        assert sha256(lab.target) == sha256(source), "it should be the same file"
        lab.forget()
        curled = measured(subprocess.Popen(["curl", "-sL", "--noproxy", "*", "-o", elsewhere, url]))
        elsewhere.unlink()
        yield pulled, curled


def sha256(path: Path) -> str:
    """Return a file's hash."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def large(path: Path, megabytes: int) -> Path:
    """Write a file that begins like a model."""
    block = random.Random(SEED).randbytes(10**6)
    with path.open("wb") as file:
        file.write(b"GGUF" + block[4:])
        for _ in range(megabytes - 1):
            file.write(block)
    return path


def report_interrupted(folder: Path, cuts: int, kills: int) -> None:
    """Print what became of pulls that were interrupted."""
    content = b"GGUF" + random.Random(SEED).randbytes(SIZE - 4)
    print(f"{'':24} {'resumed':>10} {'refetched, MiB':>14} {'wrong seen':>12}", flush=True)
    with Hub() as hub:
        hub.add(REPO, FILE, content)
        lab = Lab(hub, folder)
        print(interrupted(lab, cuts, content, is_cut=True).row("cut at random"), flush=True)
        print(interrupted(lab, kills, content, is_cut=False).row("kill -9 at random"), flush=True)


def report_throughput(folder: Path, pairs: int, megabytes: int) -> None:
    """Print how fast a large file comes beside curl's."""
    source = large(folder / "source.gguf", megabytes)
    with Hub() as hub:
        hub.add(REPO, FILE, source)
        runs = list(beside_curl(Lab(hub, folder), pairs, source))
    print(f"\n{'':24} {'MB/s':>8} {'spread':>16} {'peak, MiB':>10}")
    for name, some in (
        ("slipstream pull", [a for a, _ in runs]),
        ("curl -sL", [b for _, b in runs]),
    ):
        rates = sorted(megabytes / run.seconds for run in some)
        spread = f"{rates[0]:.0f} to {rates[-1]:.0f}"
        peak = max(run.peak_mib for run in some)
        print(f"{name:24} {median(rates):8.0f} {spread:>16} {peak:10.0f}")
    shares = sorted(b.seconds / a.seconds for a, b in runs)
    print(f"pull / curl, pair by pair: {median(shares):.2f} ({shares[0]:.2f} to {shares[-1]:.2f})")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=2000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report_interrupted(Path(name), args.cuts, args.kills)
        report_throughput(Path(name), args.pairs, args.megabytes)


if __name__ == "__main__":
    main()
