"""A text is copied by every way there is, and "Copied" is said only when it is."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from app.terminal import clipboard
from app.terminal.clipboard import OSC52_LIMIT, Copied, copy, osc52, run_tool
from app.terminal.passthrough import SCREEN_CHUNK
from tests.patience import PATIENCE_S

TEXT = "naïve 🐎\nline two"
SENT = f"\x1b]52;c;{base64.b64encode(TEXT.encode()).decode()}\x07"


class Programs:
    """Programs on a PATH of their own that write what they are given to files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def add(self, name: str, ending: str = "") -> None:
        """Add a program; ending: what it does after it has taken its input, in Python."""
        program = self.folder / name
        program.write_text(
            f"#!{sys.executable} -S\nimport os, sys, time\n"
            f"with open({str(self.folder / (name + '.got'))!r}, 'wb') as file:\n"
            f"    file.write(sys.stdin.buffer.read())\n{ending}\n"
        )
        program.chmod(0o755)

    def got(self, name: str) -> bytes | None:
        """Return what a program was given, None if it was not asked."""
        path = self.folder / f"{name}.got"
        return path.read_bytes() if path.exists() else None

    def env(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.folder), "TERM": "xterm-256color", **more}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for programs as long as they take."""
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT_S", PATIENCE_S)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path / "bin")


def test_a_terminal_alone_is_told_and_nothing_is_promised(programs: Programs) -> None:
    written: list[str] = []
    copied = copy(TEXT, written.append, programs.env())
    assert written == [SENT]
    assert copied == Copied(False, "Sent to the terminal's clipboard (OSC 52)")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("pbcopy", "LANG"),
        ("wl-copy", "WAYLAND_DISPLAY"),
        ("xclip", "DISPLAY"),
        ("xsel", "DISPLAY"),
    ],
)
def test_a_program_of_the_system_makes_it_certain(
    programs: Programs, name: str, variable: str
) -> None:
    programs.add(name)
    written: list[str] = []
    copied = copy(TEXT, written.append, programs.env(**{variable: ":0"}))
    assert copied == Copied(True, "Copied")
    assert programs.got(name) == TEXT.encode() and written == [SENT]


def test_windows_is_given_what_it_understands(programs: Programs) -> None:
    programs.add("clip.exe")
    copied = copy("a ü", lambda _: None, programs.env(WSL_DISTRO_NAME="Ubuntu"))
    assert copied.certain and programs.got("clip.exe") == "a ü".encode("utf-16-le")


def test_without_a_display_no_program_is_asked(programs: Programs) -> None:
    for name in ("xclip", "xsel", "wl-copy", "clip.exe"):
        programs.add(name)
    assert not copy(TEXT, lambda _: None, programs.env()).certain
    assert programs.got("xclip") is None


def test_over_ssh_the_clipboard_of_the_other_machine_is_left_alone(programs: Programs) -> None:
    programs.add("xclip")
    env = programs.env(DISPLAY=":0", SSH_CONNECTION="1.2.3.4 5 6.7.8.9 22")
    written: list[str] = []
    copied = copy(TEXT, written.append, env)
    assert written == [SENT] and not copied.certain and programs.got("xclip") is None


def test_a_program_that_fails_gives_way_to_the_next(programs: Programs) -> None:
    programs.add("wl-copy", "sys.exit(1)")
    programs.add("xsel")
    copied = copy(TEXT, lambda _: None, programs.env(DISPLAY=":0", WAYLAND_DISPLAY="w"))
    assert copied.certain and programs.got("xsel") == TEXT.encode()


def test_a_program_that_hangs_is_ended(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT_S", 0.2)
    programs.add("xclip", "time.sleep(60)")
    copied = copy(TEXT, lambda _: None, programs.env(DISPLAY=":0"))
    assert copied == Copied(False, "Sent to the terminal's clipboard (OSC 52)")


def test_a_program_that_reads_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT_S", 0.2)
    sleeper = (sys.executable, "-S", "-c", "import time; time.sleep(60)")
    assert not run_tool(sleeper, b"x" * 1_000_000, {})


def test_nobody_waits_for_the_child_that_keeps_the_selection(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT_S", 30.0)
    programs.add("xclip", "if os.fork() == 0: time.sleep(40)")
    assert copy(TEXT, lambda _: None, programs.env(DISPLAY=":0")).certain


def test_a_program_that_cannot_be_started_is_a_failure() -> None:
    assert not run_tool(("/nowhere/xclip",), b"x", {})


def test_tmux_is_told_by_its_buffer_plainly_and_through_it(programs: Programs) -> None:
    programs.add("tmux")
    written: list[str] = []
    copied = copy(TEXT, written.append, programs.env(TMUX="/tmp/tmux,1,0", TERM="screen"))
    wrapped = "\x1bPtmux;" + SENT.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    assert written == [SENT + wrapped] and programs.got("tmux") == TEXT.encode()
    assert not copied.certain


def test_screen_is_told_in_pieces_that_it_takes() -> None:
    text = "x" * 5000
    sequence = osc52(text, {"TERM": "screen-256color"})
    assert sequence is not None
    pieces = re.findall(r"\x1bP(.*?)\x1b\\", sequence, re.DOTALL)
    assert "".join(pieces) == osc52(text, {"TERM": "xterm"})
    assert max(map(len, pieces)) <= SCREEN_CHUNK
    assert osc52("x", {"TERM": "xterm", "STY": "1.tty"}) != osc52("x", {"TERM": "xterm"})


def test_over_ssh_what_calls_itself_screen_may_be_tmux_and_is_told_plainly_too() -> None:
    plain = osc52("x", {"TERM": "xterm"})
    assert osc52("x", {"TERM": "screen-256color"}) == f"{plain}\x1bP{plain}\x1b\\"
    assert osc52("x", {"TERM": "screen-256color", "STY": "1.tty"}) == f"\x1bP{plain}\x1b\\"


def test_what_is_too_long_for_a_terminal_is_said_to_be(programs: Programs) -> None:
    written: list[str] = []
    copied = copy("é" * 60_000, written.append, programs.env())
    assert not copied.certain and written == []
    assert copied.words.startswith("Not copied: 120 kB is more than") and "75 kB" in copied.words
    programs.add("xsel")
    assert copy("é" * 60_000, written.append, programs.env(DISPLAY=":0")).words == "Copied"


def test_the_limit_is_that_of_the_whole_sequence() -> None:
    longest = max(n for n in range(74_980, 75_000) if osc52("x" * n, {}) is not None)
    sequence = osc52("x" * longest, {})
    assert sequence is not None and len(sequence) <= OSC52_LIMIT < len(sequence) + 4


def test_where_no_way_is_open_it_is_said(programs: Programs) -> None:
    assert copy("", lambda _: None, programs.env()).words == "There is nothing to copy."
    copied = copy("x", lambda _: None, programs.env(TERM="linux"))
    assert not copied.certain and copied.words.startswith("Not copied: ")

    def closed(_: str) -> None:
        raise ValueError("I/O operation on closed file")

    assert copy("x", closed, programs.env()).words.startswith("Not copied: ")


def test_any_text_can_be_copied(programs: Programs) -> None:
    given: list[bytes] = []

    def run(command: Sequence[str], content: bytes, env: Mapping[str, str]) -> bool:
        given.append(content)
        return True

    programs.add("xsel")
    copied = copy("\ud800 -n \x00", lambda _: None, programs.env(DISPLAY=":0"), run)
    assert copied.certain and given == [b"? -n \x00"]
