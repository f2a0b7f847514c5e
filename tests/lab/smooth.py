"""Whether typing stays smooth while an answer streams: `python -m tests.lab.smooth`.

The real chat runs in a pseudo terminal over a scripted engine, which streams ten thousand tokens at
500 a second: prose, lists, tables, long code blocks, and in a second run one single code block.
Meanwhile letters are typed that occur nowhere else, so that the first of their bytes in the
terminal is the letter on the screen. Key to screen: from before the key is written until the bytes
were read. CPU: of the chat's process, which the scripted engine shares. Then the reader scrolls up,
and the picture of the transcript must stand still. First picture: from the spawn of `slipstream
chat` until its frame, which takes keys, is there; whole chat: until the chat has taken its place.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

import msgspec
import psutil

from app.paths import HOMES
from tests.lab.scripted_chat import Report
from tests.terminal import ENTER, PAGE_UP, Terminal, ctrl

LETTERS = [chr(code) for code in range(0x430, 0x44F)]
"""Cyrillic ones."""
PAUSE_S = (0.08, 0.18)
PATIENCE_S = 3.0
GOAL_MS, GOAL_CORES, GOAL_PAINT_S = 50.0, 1.0, 0.5
FRAME, CHAT = b"opening", ("Slipstream", "Ask something", "Quit")
READING_S = 3.0


class Run(msgspec.Struct):
    """What was measured while one answer streamed. lost: letters that never appeared."""

    what: str
    keys: int
    lost: int
    median_ms: float
    p95_ms: float
    max_ms: float
    cores: float
    wall_s: float
    late_s: float
    kept_scroll: bool
    whole: bool


class Paint(msgspec.Struct):
    """Seconds from the spawn to a picture. is_first: to the first one."""

    what: str
    median_s: float
    best_s: float
    worst_s: float
    is_first: bool


def own(folder: Path) -> dict[str, str]:
    """Return an environment whose user folders are all in this one."""
    return {**os.environ, **{name: str(folder / name) for name in HOMES}}


def stream(what: str, size: tuple[int, int], rate: float, arguments: Sequence[str]) -> Run:
    """Stream one answer, type while it comes, scroll up near its end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = ["--rate", str(rate), *arguments, name]
        with Terminal("tests.lab.scripted_chat", every, size, own(folder)) as terminal:
            terminal.shows("ready")
            terminal.send(f"Tell me all.{ENTER}")
            terminal.shows("answering")
            cores, wall_s, spent_ms, lost = typed(terminal, n_tokens(arguments) / rate)
            kept = stands_still(terminal)
            terminal.until(lambda: "ready" in terminal.lines[0], "end of the answer")
            terminal.send(ctrl("q"))
            terminal.ended()
        report = msgspec.json.decode((folder / "report.json").read_bytes(), type=Report)
    return Run(
        what=what,
        keys=len(spent_ms) + lost,
        lost=lost,
        median_ms=median(spent_ms),
        p95_ms=quantiles(spent_ms, n=20)[-1],
        max_ms=max(spent_ms),
        cores=cores,
        wall_s=wall_s,
        late_s=report.late_s,
        kept_scroll=kept,
        whole=report.whole,
    )


def n_tokens(arguments: Sequence[str]) -> int:
    return int(arguments[arguments.index("--tokens") + 1])


def typed(terminal: Terminal, lasts_s: float) -> tuple[float, float, list[float], int]:
    """Type while the answer streams, but for its last seconds.

    Returns cores used, seconds, milliseconds from key to screen, and how many letters were lost.
    """
    process = psutil.Process(terminal.process.pid)
    chance, letters = random.Random(1), cycle(LETTERS)
    spent_ms: list[float] = []
    lost = 0
    begun, used = time.monotonic(), cpu_s(process)
    until = begun + lasts_s - READING_S - 2.0
    while time.monotonic() < until:
        letter = next(letters)
        if letter == LETTERS[0]:
            terminal.send(ctrl("u"))
            rest(terminal, 0.3)
        appeared_ms = key(terminal, letter)
        if appeared_ms is None:
            lost += 1
        else:
            spent_ms.append(appeared_ms)
        rest(terminal, chance.uniform(*PAUSE_S))
    wall_s = time.monotonic() - begun
    return (cpu_s(process) - used) / wall_s, wall_s, spent_ms, lost


def key(terminal: Terminal, letter: str) -> float | None:
    """Type a letter and return after how many milliseconds it was on the screen, None for never."""
    seen, bytes_of = len(terminal.written), letter.encode()
    sent_at = time.monotonic()
    terminal.send(letter)
    while terminal.written.find(bytes_of, max(0, seen - 1)) < 0:
        if time.monotonic() > sent_at + PATIENCE_S or not terminal.pump():
            return None
    return 1000 * (terminal.read_at - sent_at)


def rest(terminal: Terminal, seconds: float) -> None:
    """Read on for so long."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal.pump(left)


def stands_still(terminal: Terminal) -> bool:
    """Scroll up and say whether the transcript is the same picture some seconds later."""
    terminal.send(PAGE_UP * 3)
    rest(terminal, 1.0)
    before = shown(terminal)
    rest(terminal, READING_S - 1.0)
    return before == shown(terminal) and bool("".join(before).strip())


def shown(terminal: Terminal) -> list[str]:
    """Return the transcript's lines: those between the top bar and the figures, left of the panel
    and of the scroll bar.
    """
    lines = terminal.lines
    return [line[:76].rstrip() for line in lines[2 : len(lines) - 9]]


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def paints(runs: int) -> Iterator[Paint]:
    """Start the chat so many times and see how long its pictures take."""
    first, whole = [], []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(runs + 1):  # the first one warms the disk
            with Terminal("app.cli", ["chat"], environment=own(Path(name))) as terminal:
                terminal.until(lambda: FRAME in terminal.written, "first picture")
                first.append(terminal.read_at - terminal.started_at)
                terminal.shows(*CHAT)
                whole.append(terminal.read_at - terminal.started_at)
                terminal.send(ctrl("q"))
                terminal.ended()
    for what, times in (("first picture", first), ("whole chat", whole)):
        warm = times[1:]
        yield Paint(what, median(warm), min(warm), max(warm), times is first)


def measured(args: argparse.Namespace) -> Iterator[Run | Paint]:
    """Yield each figure as it is there."""
    if not args.only_stream:
        yield from paints(args.runs)
    if not args.only_paint:
        tokens = ["--tokens", str(args.tokens)]
        for size in ((80, 24), (160, 50)):
            yield stream(f"mixed answer, {size[0]}x{size[1]}", size, args.rate, tokens)
        yield stream("one code block, 80x24", (80, 24), args.rate, [*tokens, "--fence"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=500.0, help="tokens per second")
    parser.add_argument("--tokens", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7, help="of the first picture")
    parser.add_argument("--only-paint", action="store_true")
    parser.add_argument("--only-stream", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = []
    for figure in measured(args):
        found.append(figure)
        if not args.json:
            print(line(figure), flush=True)
    if args.json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


def line(figure: Run | Paint) -> str:
    """Return a figure, and what misses its goal."""
    if isinstance(figure, Paint):
        missed = "  MISSED" if figure.is_first and figure.median_s > GOAL_PAINT_S else ""
        return (
            f"{figure.what:30} median {figure.median_s:.2f} s ({figure.best_s:.2f} to "
            f"{figure.worst_s:.2f}){missed}"
        )
    is_good = figure.p95_ms <= GOAL_MS and figure.cores <= GOAL_CORES and not figure.lost
    missed = "" if is_good and figure.kept_scroll and figure.whole else "  MISSED"
    return (
        f"{figure.what:30} key to screen median {figure.median_ms:.0f} ms, p95 {figure.p95_ms:.0f},"
        f" max {figure.max_ms:.0f}; {figure.lost} of {figure.keys} keys lost; "
        f"{figure.cores:.2f} cores; loop late by {1000 * figure.late_s:.0f} ms at most; "
        f"scroll {'kept' if figure.kept_scroll else 'LOST'}; "
        f"answer {'whole' if figure.whole else 'NOT WHOLE'}{missed}"
    )


if __name__ == "__main__":
    main()
