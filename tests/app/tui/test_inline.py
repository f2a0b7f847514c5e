"""Below the shell's prompt the chat is the same, on fewer rows, and leaves its last answer."""

from __future__ import annotations

import os
import termios
import tty
from collections.abc import Iterator
from types import SimpleNamespace

import psutil
import pytest
from textual.drivers.headless_driver import HeadlessDriver

from app.commands import chat as command
from app.errors import TerminalError
from app.tui.terminal.inline_driver import rewraps, rows_of
from app.tui.terminal.left_behind import left_behind
from tests.app.test_chat_command import parsed
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.pair import TARGET
from tests.terminal import RESTORED, Terminal, ctrl

INLINE = [(80, 16), (160, 24)]
ALTERNATE = b"\x1b[?1049h"
EXPORTED = {"COLUMNS": "80", "LINES": "24"}
"""What some shells export: the size that the window had when they began."""


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeadlessDriver, "is_inline", property(lambda _: True))


@pytest.fixture
def shell() -> Iterator[Terminal]:
    """A terminal with some lines on it, below which the chat is opened."""
    assert TARGET.exists(), "the embedded target is missing"
    words = ["--inline", "What does os.path.join do?", "--threads", "2"]
    environment = {**os.environ, **EXPORTED}
    with Terminal("tests.app.tui.below_lines", words, (80, 24), environment) as terminal:
        yield terminal


@pytest.mark.parametrize(
    ("terminal", "rows"), [(10, 10), (14, 14), (20, 14), (24, 16), (36, 24), (50, 24), (200, 24)]
)
def test_it_takes_the_lower_part_of_the_terminal(terminal: int, rows: int) -> None:
    assert rows_of(terminal) == rows


@pytest.mark.parametrize("size", INLINE, ids=["80x16", "160x24"])
def test_every_screen_fills_its_rows_and_no_more(inline: None, size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert chat.app.is_inline and tuple(chat.screen.size) == size
        assert chat.lines[0].startswith(" Slipstream")
        await chat.ask("Why?")
        await chat.answered()
        assert chat.shows("So it is.") and chat.shows("Help")
        for key in ("f1", "ctrl+p"):
            await chat.pilot.press(key)
            await chat.until(lambda: not chat.is_on_top)
            await chat.until(lambda: tuple(chat.app.screen.outer_size) == size)
            assert chat.app.screen.styles.border_top[0] == "", "no row is lost to a border"
            await chat.pilot.press("escape")
            await chat.until(lambda: chat.is_on_top)

    drive(scenario, FakeEngine(Answer(words("So it is."))), size)


def test_what_was_asked_last_is_left_as_plain_text(inline: None) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert left_behind(chat.screen) == "", "nothing was asked"
        await chat.ask("Why\nnow?")
        await chat.answered()
        assert left_behind(chat.screen) == "> Why\n> now?\n\n**So** it is.\n"
        await chat.screen.action_act("new")
        await chat.until(lambda: not chat.transcript.turns)
        assert left_behind(chat.screen) == "", "nothing was asked in this one"

    drive(scenario, FakeEngine(Answer(words("<think>\nHm\x1b[2J.\n</think>\n\n**So**\x1b it is."))))
    assert left_behind(None) == ""


def test_a_question_may_stand_behind_the_switch() -> None:
    found = command.asked(parsed("--inline", "What is it?"))
    assert (found.inline, found.ask, found.pair) == (True, "What is it?", None)
    found = command.asked(parsed("demo", "--inline", "--ask", "What is it?"))
    assert (found.inline, found.ask, found.pair) == (True, "What is it?", "demo")
    found = command.asked(parsed("demo", "--inline"))
    assert (found.ask, found.pair) == (None, "demo")


def test_on_windows_it_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "os", SimpleNamespace(name="nt", environ=os.environ))
    with pytest.raises(TerminalError, match="--inline works on Linux and macOS alone; leave it ou"):
        command.run(parsed("--inline"))


def test_which_terminals_wrap_their_lines_anew() -> None:
    assert rewraps({"TERM": "xterm-256color"}) and rewraps({"TMUX": "x", "XTERM_VERSION": "1"})
    for old in ({"TERM": "linux"}, {"XTERM_VERSION": "XTerm(372)"}, {"STY": "1.pts"}):
        assert not rewraps(old)


def test_a_narrower_window_that_does_not_wrap_keeps_what_stands_above(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    old = {**os.environ, **EXPORTED, "XTERM_VERSION": "XTerm(372)", "PYTHONUNBUFFERED": "1"}
    with Terminal("tests.app.tui.below_lines", ["--inline"], (80, 24), old) as shell:
        shell.shows("ready")
        shell.rests()
        n_read = 0
        while n_read != len(shell.written):  # until no picture is on its way
            n_read = len(shell.written)
            shell.pump()
        shell.resize(60, 24)
        shell.until(lambda: any(line.rstrip().endswith("ready") for line in shell.lines), "the bar")
        shell.rests()
        assert [line.rstrip() for line in shell.lines[:2]] == ["one", "two"]
        assert shell.text.count("Ask something") == 1
        shell.send(ctrl("q"))
        assert shell.ended() == 0
        assert shell.text.startswith("one") and "Slipstream" not in shell.text


def test_below_the_prompt_from_the_first_picture_to_the_shell_again(shell: Terminal) -> None:
    shell.shows("one", "Slipstream", "Ask something")
    shell.shows("tokens ·", "ready")
    assert shell.lines[:2] == ["one".ljust(80), "two".ljust(80)], "what stood there stays"
    assert [n for n, line in enumerate(shell.lines) if "Slipstream" in line] == [3]
    shell.rests()
    shell.resize(100, 40)
    shell.until(lambda: any(line.rstrip().endswith("● ready") for line in shell.lines), "the bar")
    shell.until(lambda: any(len(line.rstrip()) > 90 for line in shell.lines), "another width")
    shell.shows("Ask something")
    assert shell.text.count("Ask something") == 1 and shell.lines[0].startswith("one")
    shell.send(ctrl("q"))
    assert shell.ended() == 0
    left = [line.rstrip() for line in shell.lines if line.strip()]
    assert left[:2] == ["one", "two"] and left[2].endswith("> What does os.path.join do?")
    assert "Ask something" not in shell.text and len(left) > 3
    assert ALTERNATE not in shell.written
    assert all(shell.written.rfind(on) < shell.written.rfind(off) for on, off in RESTORED[1:])


def test_who_comes_back_to_a_stopped_chat_can_type_into_it(shell: Terminal) -> None:
    shell.shows("tokens ·", "ready")
    shell.rests()
    process, keyboard = psutil.Process(shell.process.pid), shell.process.child_fd
    own = termios.tcgetattr(keyboard)
    process.suspend()
    shell.until(lambda: process.status() == psutil.STATUS_STOPPED, "stop")
    mode = termios.tcgetattr(keyboard)
    mode[tty.LFLAG] |= termios.ICANON | termios.ECHO  # as a shell has it
    termios.tcsetattr(keyboard, termios.TCSANOW, mode)
    process.resume()
    shell.until(lambda: termios.tcgetattr(keyboard)[tty.LFLAG] == own[tty.LFLAG], "own mode")
    shell.send("again")
    shell.shows("│ again")
    assert shell.text.count("Ask something") == 0
