"""However long an error is, the command line shows its end: the hint, or where its log is."""

from __future__ import annotations

import pytest

from app import cli
from app.commands import ask
from app.commands.doctor import as_text
from app.doctor.facts import Check
from app.paths import Paths
from engine import EngineDied
from engine.errors import MOST_CHARS

HINT = "Log: /somewhere/engine.log"
DEATH = EngineDied("ggml said this. " * MOST_CHARS, HINT)


def told(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return the line that is printed of an error."""

    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(ask, "run", fail)
    assert cli.main(["ask", "hi"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_an_engine_that_said_much_is_told_of_with_its_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(DEATH, monkeypatch, capsys).endswith(HINT)


def test_a_long_defect_is_told_of_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = told(ValueError("no such thing " * 1000), monkeypatch, capsys)
    assert line.startswith("slipstream: a defect of Slipstream: ValueError('no such thing")
    assert line.endswith(f"{Paths().log_dir / 'defect.log'}.") and "…" in line


def test_the_doctor_tells_the_end_of_what_it_found() -> None:
    found = as_text([Check("kernels", "fail", f"the demo did not answer: {DEATH}")])
    assert found.endswith(HINT)
