"""The real thing: `slipstream chat` in a pseudo terminal, with the embedded pair.

These tests need app/demo/*.gguf and fail without them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pexpect
import psutil
import pyte
import pytest

from tests.pair import DRAFT, ROOT, TARGET

COLUMNS, ROWS = 80, 24
PATIENCE_S = 120.0
ESC = "\x1b"
CTRL_G, CTRL_Q = "\x07", "\x11"


class Terminal:
    """A chat in a pseudo terminal, and the picture that a person would see."""

    def __init__(self) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment["PYTHONPATH"] = str(ROOT)
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "app.cli", "chat", "--threads", "2"],
            dimensions=(ROWS, COLUMNS),
            cwd=str(ROOT),
            env=environment,
        )
        self.written = b""
        self._picture = pyte.Screen(COLUMNS, ROWS)
        self._reader = pyte.ByteStream(self._picture)

    @property
    def text(self) -> str:
        return "\n".join(self._picture.display)

    def pump(self) -> bool:
        """Read what was written; False at its end."""
        try:
            piece = self.process.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += piece
        self._reader.feed(piece)
        return True

    def until(self, predicate: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not predicate():
            assert time.monotonic() < deadline, f"no {what} in time:\n{self.text}"
            assert self.pump() or predicate(), f"ended without {what}:\n{self.text}"

    def shows(self, text: str) -> None:
        self.until(lambda: text in self.text, text)

    def backgrounds(self) -> set[str]:
        """Return the background colours of the transcript."""
        lines = [self._picture.buffer[row] for row in range(3, ROWS - 7)]
        return {line[column].bg for line in lines for column in range(2, COLUMNS - 2)}

    def ended(self) -> int | None:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self.pump():
            assert time.monotonic() < deadline, f"does not end:\n{self.text}"
        self.process.wait()
        return self.process.exitstatus

    def family(self) -> list[psutil.Process]:
        """Return the processes that the chat has started."""
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    assert TARGET.exists(), "the embedded target is missing"
    assert DRAFT.exists(), "the embedded draft model is missing"
    terminal = Terminal()
    yield terminal
    for process in terminal.family() if terminal.process.isalive() else []:
        process.kill()
    terminal.process.close(force=True)


def test_a_chat_from_the_first_question_to_a_clean_end(terminal: Terminal) -> None:
    terminal.shows("ready")
    terminal.shows("Runs on this machine alone")
    terminal.process.send("What does os.path.join do?\r")
    terminal.shows("tokens ·")
    terminal.shows("ready")
    coloured = len(terminal.backgrounds())
    terminal.process.send(CTRL_G)
    terminal.until(lambda: len(terminal.backgrounds()) < coloured, "words without colours")
    terminal.process.send(CTRL_G)
    terminal.until(lambda: len(terminal.backgrounds()) == coloured, "coloured words again")

    terminal.process.send("What is in the module bisect?\r")
    terminal.shows("answering")
    terminal.process.send(ESC)
    terminal.until(
        lambda: "ready" in terminal.text and terminal.text.count("bisect?") == 1, "the stop"
    )

    family = terminal.family()
    assert family, "the engine is a process of its own"
    terminal.process.send(CTRL_Q)
    assert terminal.ended() == 0
    assert_restored(terminal)
    psutil.wait_procs(family, timeout=PATIENCE_S)
    assert not [process for process in family if process.is_running()]


def assert_restored(terminal: Terminal) -> None:
    """Assert that the terminal is as it was: main screen, cursor shown, mouse and keys released."""
    written = terminal.written
    for on, off in (
        (b"\x1b[?1049h", b"\x1b[?1049l"),
        (b"\x1b[?25l", b"\x1b[?25h"),
        (b"\x1b[?1000h", b"\x1b[?1000l"),
        (b"\x1b[?2004h", b"\x1b[?2004l"),
    ):
        assert 0 <= written.rfind(on) < written.rfind(off), off


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_ends_app_and_engine_and_restores_the_terminal(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.shows("ready")
    family = terminal.family()
    os.kill(terminal.process.pid, number)
    terminal.ended()
    assert_restored(terminal)
    psutil.wait_procs(family, timeout=PATIENCE_S)
    assert not [process for process in family if process.is_running()]


def test_an_engine_that_is_killed_is_started_again(terminal: Terminal) -> None:
    terminal.shows("ready")
    (engine,) = terminal.family()
    engine.kill()
    terminal.process.send("What does os.path.join do?\r")
    terminal.shows("The engine runs again.")
    terminal.shows("tokens ·")
    terminal.process.send(CTRL_Q)
    assert terminal.ended() == 0


def test_the_engine_ends_when_the_app_is_killed(terminal: Terminal) -> None:
    terminal.shows("ready")
    family = terminal.family()
    terminal.process.kill(signal.SIGKILL)
    terminal.ended()
    psutil.wait_procs(family, timeout=PATIENCE_S)
    assert not [process for process in family if process.is_running()]


def test_without_a_terminal_the_chat_says_so_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "chat"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "slipstream ask" in done.stderr
