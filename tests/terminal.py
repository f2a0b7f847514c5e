"""Runs a command in a pseudo terminal and shows the picture that a person would see.

What the command writes is kept with the moment at which it was read; it becomes a picture only when
somebody looks, so that whoever measures can read on without drawing. Waiting is for a condition,
until a deadline.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

import pexpect
import psutil
import pyte

from tests.pair import ROOT
from tests.patience import PATIENCE_S

PUMP_S, STILL_S = 0.2, 0.6
PIECE = 1 << 16
ESC, ENTER = "\x1b", "\r"
PAGE_UP, PAGE_DOWN = "\x1b[5~", "\x1b[6~"
F3 = "\x1bOR"
RESTORED = (
    (b"\x1b[?1049h", b"\x1b[?1049l"),
    (b"\x1b[?25l", b"\x1b[?25h"),
    (b"\x1b[?1000h", b"\x1b[?1000l"),
    (b"\x1b[?2004h", b"\x1b[?2004l"),
    (b"\x1b[22;2t", b"\x1b[23;2t"),
)
"""Main screen, cursor, mouse, bracketed paste, title: what changes each, and changes it back."""


def read_all(master: int) -> bytes:
    """Read what a terminal is sent, until nobody is left to send: who is not read stands still."""
    seen = b""
    with contextlib.suppress(OSError):
        while part := os.read(master, PIECE):
            seen += part
    return seen


def ctrl(letter: str) -> str:
    """Return what a terminal sends for Ctrl and a letter."""
    return chr(ord(letter.upper()) - ord("@"))


class Terminal:
    """A Python module, run in a pseudo terminal. size: columns, rows."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        columns, rows = size
        kind = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
        self.started_at = time.monotonic()
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", module, *arguments],
            dimensions=(rows, columns),
            cwd=str(ROOT),
            env={**environment, **kind},
        )
        self.process.delaybeforesend = None
        self.written = bytearray()
        self.read_at = self.started_at
        self._drawn = 0
        self._picture = pyte.Screen(columns, rows)
        self._pen = pyte.ByteStream(self._picture)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for process in self.family() if self.process.isalive() else []:
            process.kill()
        self.process.close(force=True)

    @property
    def lines(self) -> list[str]:
        """The picture, line by line."""
        self._draw()
        return list(self._picture.display)

    @property
    def text(self) -> str:
        """The picture."""
        return "\n".join(self.lines)

    def backgrounds(self, rows: range, columns: range) -> set[str]:
        """Return the background colours in a part of the picture."""
        self._draw()
        lines = [self._picture.buffer[row] for row in rows]
        return {line[column].bg for line in lines for column in columns}

    def send(self, keys: str) -> None:
        """Press keys."""
        self.process.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._draw()
        self._picture.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def wipe(self) -> None:
        """Have nothing in the picture, as where another program had the terminal."""
        self._draw()
        self._picture.reset()

    def pump(self, timeout_s: float = PUMP_S) -> bool:
        """Read what was written, waiting so long for it; False at its end."""
        try:
            piece = self.process.read_nonblocking(PIECE, timeout=timeout_s)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.read_at = time.monotonic()
        self.written += piece
        return True

    def until(self, predicate: Callable[[], bool], what: str) -> None:
        """Read until the predicate holds; fail if it does not in time."""
        deadline = time.monotonic() + PATIENCE_S
        while not predicate():
            assert time.monotonic() < deadline, f"no {what} in time:\n{self.text}"
            assert self.pump() or predicate(), f"ended without {what}:\n{self.text}"

    def shows(self, *texts: str) -> None:
        """Read until the picture has all these texts."""
        self.until(lambda: all(text in self.text for text in texts), " and ".join(texts))

    def rests(self) -> None:
        """Read until the picture stays as it is: what was asked before has had its effect. A wait
        that took longer than it was to counts as that: the machine stood still in it.
        """
        deadline = time.monotonic() + PATIENCE_S
        text, calm_s = self.text, 0.0
        while calm_s < STILL_S:
            begun = time.monotonic()
            assert begun < deadline, f"no rest:\n{self.text}"
            assert self.pump(), f"ended:\n{self.text}"
            calm_s += min(PUMP_S, time.monotonic() - begun)
            if self.text != text:
                text, calm_s = self.text, 0.0

    def ended(self) -> int | None:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self.pump():
            assert time.monotonic() < deadline, f"does not end:\n{self.text}"
        self.process.wait()
        return self.process.exitstatus

    def hang_up(self) -> None:
        """Close the terminal, as somebody closes a window: nobody else closes its file again."""
        self.process.ptyproc.fileobj.close()
        self.process.ptyproc.closed = self.process.closed = True
        self.process.ptyproc.fd = self.process.child_fd = -1

    def is_restored(self) -> bool:
        """Whether all that was changed of the terminal was changed back."""
        return all(0 <= self.written.rfind(on) < self.written.rfind(off) for on, off in RESTORED)

    def family(self) -> list[psutil.Process]:
        """Return the processes that the command has started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def _draw(self) -> None:
        self._pen.feed(bytes(self.written[self._drawn :]))
        self._drawn = len(self.written)


def have_ended(processes: Sequence[psutil.Process]) -> bool:
    """Wait until all these processes have ended, and tell whether they did in time.

    One that has ended stays a zombie for as long as its parent does not ask for it.
    """
    deadline = time.monotonic() + PATIENCE_S
    while any(is_running(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(is_running(process) for process in processes)


def is_running(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
