"""The real thing: `slipstream chat` in a pseudo terminal, with the embedded pair.

These tests need app/demo/*.gguf and fail without them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.pair import DRAFT, ROOT, TARGET
from tests.terminal import ENTER, ESC, F3, Terminal, ctrl, have_ended, is_running

pytestmark = pytest.mark.usefixtures("known_costs")

ROWS, COLUMNS = 24, 80
ENDLESS = "2-inf"
"""The bias that bans the embedded pair's only end of an answer."""


def backgrounds(terminal: Terminal) -> set[str]:
    """Return the background colours of the transcript."""
    return terminal.backgrounds(range(3, ROWS - 7), range(2, COLUMNS - 2))


def chat(*arguments: str) -> Terminal:
    """Start the chat with the embedded pair."""
    assert TARGET.exists(), "the embedded target is missing"
    assert DRAFT.exists(), "the embedded draft model is missing"
    return Terminal("app.cli", ["chat", "--threads", "2", *arguments], (COLUMNS, ROWS))


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with chat() as terminal:
        yield terminal


def test_a_chat_from_the_first_question_to_a_clean_end() -> None:
    with chat("--draft-tokens", "4") as terminal:  # where time is short, the policy drafts nothing
        terminal.shows("ready")
        terminal.shows("Runs on this machine alone")
        terminal.send("What does os.path.join do?\r")
        terminal.shows("tokens ·")
        terminal.shows("ready")
        terminal.rests()
        coloured = len(backgrounds(terminal))
        terminal.send(ctrl("g"))
        terminal.until(lambda: len(backgrounds(terminal)) < coloured, "words without colours")
        terminal.send(ctrl("g"))
        terminal.until(lambda: len(backgrounds(terminal)) == coloured, "coloured words again")

        family = terminal.family()
        assert family, "the engine is a process of its own"
        terminal.send(ctrl("q"))
        assert terminal.ended() == 0
        assert terminal.is_restored()
        assert have_ended(family)


def test_it_follows_the_size_of_the_window_whatever_the_shell_exports() -> None:
    exported = {**os.environ, "COLUMNS": "80", "LINES": "24"}
    with Terminal("app.cli", ["chat"], (COLUMNS, ROWS), exported) as terminal:
        terminal.shows("ready")
        terminal.resize(COLUMNS + 30, ROWS + 10)
        wide = COLUMNS + 20
        terminal.until(lambda: any(len(line.rstrip()) > wide for line in terminal.lines), "width")
        terminal.shows("Ask something")
        terminal.rests()
        assert "Quit" in terminal.lines[-1]


def test_who_comes_back_to_a_stopped_chat_sees_all_of_it() -> None:
    with chat() as terminal:
        terminal.shows("ready")
        terminal.rests()
        before, process = terminal.text, psutil.Process(terminal.process.pid)
        process.send_signal(signal.SIGTSTP)
        terminal.until(lambda: process.status() == psutil.STATUS_STOPPED, "stop")
        terminal.pump()
        terminal.wipe()
        process.resume()
        terminal.until(lambda: terminal.text == before, "picture")
        assert terminal.text == before


def echoes(terminal: Terminal) -> bool:
    """Whether the terminal shows what is typed, as a shell has it."""
    flags: int = termios.tcgetattr(terminal.process.child_fd)[3]
    return bool(flags & termios.ECHO) and bool(flags & termios.ICANON)


def test_a_terminal_is_restored_after_a_stop_that_could_not_be_seen_coming() -> None:
    """As by kill -STOP, or by a program that has others compute less."""
    with chat() as terminal:
        terminal.shows("ready")
        terminal.rests()
        before, process = terminal.text, psutil.Process(terminal.process.pid)
        assert not echoes(terminal)
        process.suspend()
        terminal.until(lambda: process.status() == psutil.STATUS_STOPPED, "stop")
        mode = termios.tcgetattr(terminal.process.child_fd)
        mode[3] |= termios.ECHO | termios.ICANON  # as a shell has it meanwhile
        termios.tcsetattr(terminal.process.child_fd, termios.TCSANOW, mode)
        terminal.pump()
        terminal.wipe()
        process.resume()
        terminal.until(lambda: terminal.text == before, "picture")
        terminal.until(lambda: not echoes(terminal), "mode of its own")
        terminal.send(ctrl("q"))
        assert terminal.ended() == 0
        assert terminal.is_restored() and echoes(terminal)


both_modes = pytest.mark.parametrize("mode", [[], ["--inline"]], ids=["whole", "inline"])


@both_modes
def test_a_terminal_is_restored_though_a_chat_is_told_to_go_on_while_it_ends(
    mode: list[str],
) -> None:
    with chat(*mode) as terminal:
        terminal.shows("ready")
        terminal.rests()
        process = psutil.Process(terminal.process.pid)
        terminal.send(ctrl("q"))
        while terminal.pump(0.01):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)
        terminal.process.wait()
        assert terminal.process.exitstatus == 0 and echoes(terminal)


@both_modes
def test_a_terminal_that_is_closed_ends_app_and_engine(mode: list[str]) -> None:
    terminal = chat(*mode)
    terminal.shows("ready")
    family = [psutil.Process(terminal.process.pid), *terminal.family()]
    terminal.hang_up()
    try:
        assert have_ended(family)
    finally:
        for process in filter(is_running, family):
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_ends_app_and_engine_and_restores_the_terminal(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.shows("ready")
    family = terminal.family()
    os.kill(terminal.process.pid, number)
    terminal.ended()
    assert terminal.is_restored()
    assert have_ended(family)


def test_an_engine_that_is_killed_is_started_again(terminal: Terminal) -> None:
    terminal.shows("ready")
    (engine,) = terminal.family()
    engine.kill()
    terminal.send("What does os.path.join do?\r")
    terminal.shows("The engine runs again.")
    terminal.shows("tokens ·")
    terminal.send(ctrl("q"))
    assert terminal.ended() == 0


def test_the_engine_ends_when_the_app_is_killed(terminal: Terminal) -> None:
    terminal.shows("ready")
    family = terminal.family()
    terminal.process.kill(signal.SIGKILL)
    terminal.ended()
    assert have_ended(family)


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


def test_an_answer_is_stopped_where_it_stands() -> None:
    with chat("--logit-bias", ENDLESS) as terminal:
        terminal.shows("ready")
        terminal.send(f"What does os.path.join do?{ENTER}")
        terminal.shows("answering", "tok/s")
        terminal.send(ESC)
        terminal.shows("stopped", "ready")
        terminal.send(ctrl("q"))
        assert terminal.ended() == 0


def test_a_chat_branches_and_is_found_again(terminal: Terminal) -> None:
    terminal.shows("ready")
    terminal.send(f"What is in the module bisect?{ENTER}")
    terminal.shows("tokens ·", "ready")
    terminal.send(f"What does os.path.join do?{ENTER}")
    terminal.until(lambda: terminal.text.count("tokens ·") == 2, "two answers")
    terminal.rests()
    terminal.send(ctrl("r"))
    terminal.shows("answer 2 of 2", "ready")
    terminal.rests()
    terminal.send(ctrl("e"))
    terminal.until(lambda: terminal.text.count("What does os.path.join do?") == 2, "the editing")
    terminal.send(f" In short.{ENTER}")
    terminal.shows("question 2 of 2", "In short.", "ready")
    terminal.rests()
    terminal.send(ctrl("n"))
    terminal.shows("Try one of these")
    terminal.send(F3)
    terminal.shows("Open")
    terminal.send("join short")
    terminal.shows("1 found")
    terminal.send(ENTER)
    terminal.shows("What does os.path.join do? In short.", "Ask something")
    terminal.send(ctrl("q"))
    assert terminal.ended() == 0
    assert terminal.is_restored()


def test_a_chat_whose_errors_go_to_a_file_is_painted_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "errors"
    words = [str(file), "chat", "--threads", "2"]
    with Terminal("tests.app.tui.stderr_away", words, (COLUMNS, ROWS)) as terminal:
        terminal.shows("Runs on this machine alone", "ready")
        terminal.send(ctrl("q"))
        assert terminal.ended() == 0
        assert terminal.is_restored()
    assert file.read_text() == ""
