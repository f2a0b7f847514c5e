"""Where nobody watches bars, a pull is told in few lines that rise, in its own words alone."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from app.models.download import Progress
from app.models.pull import Plan
from app.models.showing import shown

ONE = "someone/models:one.gguf"
NOTHING = Plan("pair", (), (), 0)


def test_without_a_terminal_there_are_few_lines_and_they_rise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with shown(NOTHING) as show:
        for done in range(1001):
            show.report(Progress(ONE, "downloading", done, 1000))
        show.report(Progress(ONE, "checking", 5, 1000))
        show.report(Progress(ONE, "done", 1000, 1000))
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == "" and "\x1b" not in captured.err
    assert 10 <= len(lines) <= 13
    numbers = [int(re.search(r"(\d+) k?B of", line)[1]) for line in lines[:-1]]  # type: ignore[index]
    assert numbers == sorted(numbers)
    assert lines[-1] == "one.gguf: done 1 kB of 1 kB"


def test_what_happens_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(NOTHING) as show:
        for note in ("", "too slow", "too slow", "", "too slow"):
            show.report(Progress(ONE, "waiting", 7, None, note))
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "too slow" in line] == [
        "one.gguf: waiting 7 B (too slow)"
    ] * 2


def test_foreign_words_reach_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(NOTHING) as show:
        show.report(Progress("a/b:\x1b[2Jname.gguf", "waiting", 1, 10, "\x1b]52;;x\x07no\nway"))
    assert capsys.readouterr().err == "[2Jname.gguf: waiting 1 B of 10 B (]52;;xno way)\n"


def test_what_draws_bars_is_not_imported_for_nobody() -> None:
    code = (
        "import sys\n"
        "from app.models.pull import Plan\n"
        "from app.models.showing import shown\n"
        "with shown(Plan('pair', (), (), 0)): print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
