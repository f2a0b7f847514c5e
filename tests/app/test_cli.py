"""What the command line makes of errors."""

from __future__ import annotations

import argparse
import os
import pkgutil
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli, commands
from app.cli import LONGEST_QUOTED
from app.commands import ask, chat
from app.errors import CatalogError, SettingsError
from app.paths import Paths
from engine import ModelFileError, SettingError
from tests.app.holding import failed

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


def buffered() -> dict[str, str]:
    """Return an environment in which words are left to be written when a command has ended."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
@pytest.mark.parametrize("unbuffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["", "unbuffered"])
@pytest.mark.parametrize(
    "words",
    [["ask", "hi"], ["list"], ["--help"], ["--version"], ["info", *["demo"] * 12, "--json"]],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written_is_named(
    words: list[str], unbuffered: dict[str, str]
) -> None:
    script = (
        "import sys; from app import cli; from app.commands import ask\n"
        "ask.run = lambda args: print('word', flush=True) or 0\n"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**buffered(), **unbuffered},
        )
    line = "slipstream: cannot write to standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, line)


@pytest.mark.parametrize("words", [["memory"], ["--version"]])
def test_a_reader_that_is_gone_already_gets_no_complaint(words: list[str]) -> None:
    script = "import sys; from app import cli; sys.exit(cli.main(sys.argv[1:]))"
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        stdout=reader.stdin,
        stderr=subprocess.PIPE,
        text=True,
        env=buffered(),
    )
    assert reader.stdin is not None
    reader.stdin.close()
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
@pytest.mark.parametrize(("asked", "code"), [("print('word', file=sys.stderr)", 0), ("1 / 0", 1)])
def test_messages_that_nobody_can_hear_take_no_answer_with_them(asked: str, code: int) -> None:
    script = (
        "import sys; from app import cli; from app.commands import ask\n"
        f"ask.run = lambda args: print('answer') or {asked} or 0\n"
        "sys.exit(cli.main(['ask', 'hi']))"
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=full, text=True
        )
    assert (done.returncode, done.stdout) == (code, "answer\n")


def test_messages_that_can_be_heard_are() -> None:
    script = (
        "import sys; from app import cli; from app.commands import ask\n"
        "ask.run = lambda args: print('w\\u00f6rd ' * 20_000, file=sys.stderr, flush=True) or 0\n"
        "sys.exit(cli.main(['ask', 'hi']))"
    )
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.split()) == (0, ["w\u00f6rd"] * 20_000)


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(ask, "run", interrupted)
    assert cli.main(["ask", "hi"]) == 130


def test_ctrl_c_while_a_class_is_made_is_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Field:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def imported(_: object) -> int:
        return len(type("Settings", (), {"field": Field()}).__name__)

    monkeypatch.setattr(ask, "run", imported)
    assert cli.main(["ask", "hi"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bench", "--foo"], "slipstream bench: unrecognized arguments: --foo (slipstream bench "),
        (
            ["chat", "--draftr=lookup"],
            "slipstream chat: unrecognized arguments: --draftr=lookup; did you mean --drafter? (",
        ),
        (
            ["chat", "--draft-max=8"],
            "slipstream chat: unrecognized arguments: --draft-max=8; did you mean --draft-tokens?",
        ),
        (["ask", "-ctk", "q8_0", "hi"], "slipstream ask: unrecognized arguments: -ctk (slip"),
        (["chat", "-model", "a.gguf"], "slipstream chat: unrecognized arguments: -model; did"),
        (["verify", "-n", "3"], "slipstream verify: unrecognized arguments: -n (slip"),
        (["list", "--draft-max"], "slipstream list: unrecognized arguments: --draft-max (slip"),
        (
            ["chat", "--no-memory=1"],
            "slipstream chat: argument --memory/--no-memory: takes no value; found '1' (",
        ),
        (
            ["verify", "--temp", "1"],  # of which its help speaks
            "slipstream verify: unrecognized arguments: --temp (slipstream verify --help",
        ),
        (["list", "x"], "slipstream list: unrecognized arguments: x (slipstream list --help"),
        (["qwen3-4"], "slipstream: there is no command 'qwen3-4', did you mean qwen3-4b? to ask"),
        (["run", "demo"], "slipstream: there is no command 'run', did you mean chat? to ask"),
        (["models"], "slipstream: there is no command 'models', did you mean list? to ask"),
        (["show"], "slipstream: there is no command 'show', did you mean info? to ask"),
        (
            ["info", "demo", "--ctx-size", "9" * 5000],
            "slipstream info: argument --ctx-size: should be",
        ),
        (["chat", "--gpu-layers", "9" * 5000], "slipstream chat: argument --gpu-layers: '999"),
        (["chat", "--ctx-size", "9" * 5000], "slipstream chat: argument --ctx-size: invalid int"),
        (
            ["demo", "What is len?"],
            "slipstream chat: unrecognized arguments: What is len?; to begin with a question: "
            "slipstream demo --ask 'What is len?' (slipstream chat --help",
        ),
        (["demo", "--foo"], "slipstream chat: unrecognized arguments: --foo (slipstream chat --he"),
        (["chat", "x", "y"], "slipstream chat: unrecognized arguments: y (slipstream chat --help"),
        (["--foo"], "slipstream chat: unrecognized arguments: --foo (slipstream chat --help"),
        (["info"], "slipstream info: the following arguments are required: NAME (slipstream info"),
        (
            ["my models/Big.GGUF"],
            "slipstream: there is no command 'my models/Big.GGUF'; to open a file: "
            "slipstream chat --model 'my models/Big.GGUF' (slipstream --help",
        ),
        (
            ["bnch"],
            "slipstream: there is no command 'bnch', did you mean bench? to ask a question: ",
        ),
        (
            ["Why", "is", "a", "path?"],
            "slipstream: there is no command 'Why'; to ask a question: slipstream ask 'Why is a "
            "path?', or in the chat: slipstream chat --ask 'Why is a path?' (slipstream --help",
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
    assert len(said) < 500 and "_" not in said


def test_a_pairs_name_opens_the_chat_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, bool]] = []

    def run(args: argparse.Namespace) -> int:
        opened.append((args.pair, bool(args.new)))
        return 0

    monkeypatch.setattr(chat, "run", run)
    assert cli.main(["demo"]) == cli.main(["qwen3-4b", "--new"]) == 0
    assert opened == [("demo", False), ("qwen3-4b", True)]


@pytest.mark.parametrize("word", ["demo", "mine", "bnch"])
def test_a_broken_catalogue_is_named_before_a_word_is_called_no_command(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Paths().ensure().own_catalog.write_text("[models.mine\n")
    line = failed(capsys, word)
    assert line.startswith(f"slipstream: Cannot read {Paths().own_catalog}: line 1")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["ask", "hi", "--presence-penalty", "-1e-1"], -0.1),
        (["chat", "--temp", "-.5e1"], -5.0),
        (["ask", "hi", "--logit-bias", "-5+1"], ["-5+1"]),
        (["pull", "demo", "--limit-rate", "-5k"], "-5k"),
    ],
)
def test_a_minus_before_a_digit_begins_a_value_and_no_flag(words: list[str], found: object) -> None:
    args = cli.build_parser().parse_args(words)
    assert getattr(args, words[-2].removeprefix("--").replace("-", "_")) == found


@pytest.mark.parametrize(
    ("words", "usage"), [(["help"], "slipstream "), (["help", "ask"], "slipstream ask ")]
)
def test_the_word_help_shows_the_help(
    words: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 0 and capsys.readouterr().out.startswith(f"usage: {usage}")


def test_a_file_whose_name_is_no_text_is_said_to_be_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.gguf")
    words = (["verify", "--model", bad], ["verify", f"--model={bad}"], ["info", bad])
    for given in words:
        assert "UTF-8" not in _refusal(given, capsys)
    Path(bad).touch()
    for given in words:
        line = f"{tmp_path}/bad\ufffd.gguf: its name is no UTF-8 text; rename the file."
        assert _refusal(given, capsys) == f"slipstream: {line}"


def _refusal(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(words) in (1, 2)
    (said,) = capsys.readouterr().err.splitlines()
    return said


def test_a_folder_that_is_gone_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "folder that you are in is gone" in _refusal(["verify", "--model", "x.gguf"], capsys)


@pytest.mark.parametrize("said", ['what is "$HOME" here', "it's `this`", "x" * LONGEST_QUOTED])
def test_what_is_to_be_copied_asks_what_was_typed(
    said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(said.split())
    (line,) = capsys.readouterr().err.splitlines()
    command = line.partition("to ask a question: ")[2].partition(", or in the chat")[0]
    assert shlex.split(command) == ["slipstream", "ask", said]


def test_a_question_that_is_long_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["word"] * LONGEST_QUOTED)
    assert 'to ask a question: slipstream ask "…", or' in capsys.readouterr().err


@pytest.mark.parametrize("first", [[], ["chat"]])
def test_of_two_questions_none_is_dropped(
    first: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = _refusal([*first, "What is a?", "--ask", "What is b?"], capsys)
    assert said == "slipstream: Give a question or --ask, not both."


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
        ("2</dev/null", "2 \u2014 3\n", ""),
        ("</dev/null >&0", "", "figures\n"),
    ],
)
def test_a_stream_that_is_closed_or_for_reading_takes_what_is_printed_and_nothing_else(
    redirect: str, out: str, err: str
) -> None:
    command = ["sh", "-c", f'exec "$0" -c "$1" {redirect}', sys.executable, PRINTS]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, out, err)


def test_an_input_that_can_only_be_written_to_holds_nothing() -> None:
    script = (
        "import sys; from app import cli; from app.commands import ask\n"
        "ask.run = lambda args: print(repr(sys.stdin.read())) or 0\n"
        "sys.exit(cli.main(['ask', 'hi']))"
    )
    with open(os.devnull, "w") as as_nohup_has_it:
        done = subprocess.run(
            [sys.executable, "-c", script], stdin=as_nohup_has_it, capture_output=True, text=True
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "''\n", "")


def test_signs_that_the_encoding_lacks_are_printed_as_question_marks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTS],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert (done.returncode, done.stdout) == (0, b"2 ? 3\n")


@pytest.mark.parametrize("flag", ["--model", "--model-draft"])
@pytest.mark.parametrize("words", [["chat"], ["ask", "hi"], ["bench"], ["verify"]], ids=" ".join)
def test_a_file_that_is_not_there_is_told_before_anything_opens_and_with_exit_code_2(
    words: list[str], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*words, flag, "/nowhere/x.gguf"]) == 2
    said = f"slipstream: {flag}: there is no file /nowhere/x.gguf; check the path.\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("name", "code"), [("nope", 2), ("qwen3-4b", 1)], ids=["unknown", "not downloaded"]
)
@pytest.mark.parametrize("is_given", [True, False], ids=["given", "a variable"])
def test_a_pair_that_there_is_not_is_asked_wrongly_and_one_that_is_not_here_fails(
    is_given: bool,
    name: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if not is_given:
        monkeypatch.setenv("SLIPSTREAM_PAIR", name)
    for command in ("bench", "verify"):
        assert cli.main([command, *([name] if is_given else [])]) == code
        assert name in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "place"),
    [(["ask", "x", "--pair", ""], "--pair"), (["bench", ""], "pair"), (["verify", ""], "pair")],
    ids=["a flag", "bench", "verify"],
)
def test_a_pair_without_a_name_is_told_where_it_was_given(
    words: list[str],
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    told = f"slipstream: {place}: should be a name or a path, found nothing."
    assert _refusal(words, capsys) == told


@pytest.mark.parametrize(
    ("command", "opener"),
    [
        ("chat", "its name alone"),
        ("bench", "its name alone"),
        ("verify", "its name alone"),
        ("ask", "--pair"),
    ],
)
def test_a_pair_that_is_given_as_a_file_is_told_how_it_is_opened(
    command: str, opener: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = "here is no file qwen3-0.6b; the pair of that name is opened by"
    question = ["hi"] if command == "ask" else []
    assert f"{hint} {opener}." in _refusal([command, *question, "--model", "qwen3-0.6b"], capsys)
    monkeypatch.setenv("SLIPSTREAM_MODEL", "qwen3-0.6b")
    if command in ("bench", "verify"):
        assert f"{hint} the setting `pair`." in _refusal([command, *question], capsys)


@pytest.mark.parametrize("command", ["chat", "bench"])
@pytest.mark.parametrize("name", ["unsloth/Qwen3-4B-GGUF", "hf.co/unsloth/Qwen3-4B-GGUF"])
def test_a_repository_that_is_given_as_a_file_is_told_how_a_file_of_it_is_named(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = _refusal([command, "--model", name], capsys)
    assert f"here is no file {name}; check the path, or name a file" in said
    assert said.endswith("as OWNER/REPO:FILE.gguf.")
