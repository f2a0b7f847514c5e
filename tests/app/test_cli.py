"""What the command line makes of errors."""

from __future__ import annotations

import argparse
import os
import pkgutil
import socket
import subprocess
import sys

import pytest

from app import cli, commands
from app.commands import ask, chat
from app.errors import CatalogError, SettingsError
from app.paths import Paths
from engine import ModelFileError, SettingError

COMMANDS = [
    info.name.replace("_", "-")
    for info in pkgutil.iter_modules(commands.__path__)
    if info.name != "completion"  # it prints words for a shell
]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CatalogError("no such pair"), 1),
        (SettingsError("--seed: too small"), 2),
        (SettingError("top_p must be"), 2),
        (ModelFileError("cannot open", "Check it."), 1),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(ask, "run", fail)
    assert cli.main(["ask", "hi"]) == code
    assert capsys.readouterr().err.splitlines() == [f"slipstream: {error}"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "/x"), "/x: Permission denied"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("no number"), "no number"),
    ],
)
def test_what_the_system_refuses_is_said_without_its_number(
    error: OSError,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(ask, "run", fail)
    assert cli.main(["ask", "hi"]) == 1
    assert capsys.readouterr().err.splitlines() == [f"slipstream: {line}"]


def test_a_defect_is_one_line_and_its_traceback_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("oops\x1b[2J")

    monkeypatch.setattr(ask, "run", fail)
    assert cli.main(["ask", "hi"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    log = Paths().log_dir / "defect.log"
    assert "ZeroDivisionError" in line and "\x1b" not in line
    assert str(log) in line
    assert "Traceback" in log.read_text()


def test_a_reader_that_has_enough_gets_no_complaint() -> None:
    script = (
        "import sys; from app import cli; from app.commands import ask\n"
        "ask.run = lambda args: print('word ' * 100_000) or 0\n"
        "sys.exit(cli.main(['ask', 'hi']))"
    )
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=reader.stdin, stderr=subprocess.PIPE, text=True
    )
    assert reader.stdin is not None
    reader.stdin.close()
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(ask, "run", interrupted)
    assert cli.main(["ask", "hi"]) == 130


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bench", "--foo"], "slipstream bench: unrecognized arguments: --foo (slipstream bench "),
        (["list", "x"], "slipstream list: unrecognized arguments: x (slipstream list --help"),
        (["--foo"], "slipstream chat: unrecognized arguments: --foo (slipstream chat --help"),
        (["info"], "slipstream info: the following arguments are required: NAME (slipstream info"),
        (
            ["bnch"],
            "slipstream: there is no command 'bnch', did you mean bench? to ask a question: ",
        ),
        (
            ["Why", "is", "a", "path?"],
            "slipstream: there is no command 'Why'; to ask a question: slipstream ask \"Why is a "
            'path?", or in the chat: slipstream chat --ask "Why is a path?" (slipstream --help',
        ),
    ],
)
def test_a_wrong_usage_is_one_line_that_points_to_the_help_of_its_command(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    (said,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2 and said.startswith(line)


def test_a_question_in_quotation_marks_is_asked_in_the_chat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = "What does os.path.join do?"
    asked: list[tuple[str, bool]] = []

    def run(args: argparse.Namespace) -> int:
        asked.append((args.ask, bool(args.offline)))
        return 0

    monkeypatch.setattr(chat, "run", run)
    assert cli.main([question, "--offline"]) == 0
    assert cli.main(["  \n-" + question]) == 0
    assert asked == [(question, True), ("  \n-" + question, False)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_switch_that_keeps_everything_on_this_machine(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert "--offline" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [["list"], ["recommend"], ["info", "demo"], ["verify-files", "demo"], ["doctor"]]
)
def test_looking_at_this_machine_opens_no_socket(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    assert cli.main([*words, "--offline"]) in (0, 1)
    said = capsys.readouterr()
    assert said.out and "a connection" not in said.out + said.err


def test_ctrl_c_before_the_command_is_known_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> argparse.ArgumentParser:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "build_parser", interrupted)
    assert cli.main(["ask", "hi"]) == 130


def test_nothing_of_the_app_is_imported_before_ctrl_c_is_heard() -> None:
    script = "import sys, app.cli; print(sorted(m for m in sys.modules if m.startswith('app.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "['app.cli', 'app.commands']\n"


PRINTS = """
import os, sys
from app import cli
from app.commands import ask
def run(args):
    sys.stdout.write("2 \u2014 3\\n")
    print("figures", file=sys.stderr)
    with open(os.devnull) as file:
        return 0 if file.fileno() > 2 and not sys.stdout.isatty() else 7
ask.run = run
sys.exit(cli.main(["ask", "hi"]))
"""


@pytest.mark.parametrize(
    ("redirect", "out", "err"),
    [
        (">&-", "", "figures\n"),
        ("2>&-", "2 \u2014 3\n", ""),
        (">&- <&-", "", "figures\n"),
        (">&- 2>&- <&-", "", ""),
    ],
)
def test_a_closed_stream_takes_what_is_printed_and_nothing_else(
    redirect: str, out: str, err: str
) -> None:
    command = ["sh", "-c", f'exec "$0" -c "$1" {redirect}', sys.executable, PRINTS]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, out, err)


def test_signs_that_the_encoding_lacks_are_printed_as_question_marks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTS],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert (done.returncode, done.stdout) == (0, b"2 ? 3\n")
