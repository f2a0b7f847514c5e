"""`slipstream ask` says how an answer was made if that was not as usual."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import engine
from app.cli import main
from tests.app.tui.fakes import Answer, FakeEngine, words

SAID = "It joins \x9b31m\u202epaths: où."
FAILED = "The draft model failed, and the answer went on without it."


class Client(FakeEngine):
    """What `ask` starts."""

    answering = False

    def __init__(self, log_path: Path) -> None:
        super().__init__(Answer(words(SAID), notices=[FAILED]))


class Breaking(FakeEngine):
    """What `ask` starts, with another answer."""

    answering = False


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "EngineClient", Client)
    monkeypatch.setattr("sys.stdin", None)


def test_a_draft_model_that_failed_is_told_of_beside_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ask", "What", "is", "join?"]) == 0
    out, err = capsys.readouterr()
    assert out == SAID + "\n" and f"slipstream: {FAILED}\n" in err


def test_in_one_log_the_answer_stands_on_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    with log.open("a") as out, log.open("a", buffering=1) as err:
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        assert main(["ask", "What", "is", "join?"]) == 0
    assert log.read_text().split("\n")[:2] == [SAID, f"slipstream: {FAILED}"]


def test_a_pairs_name_before_the_question_is_sent_and_said_to_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "slipstream ask: 'demo' is sent as part of the question; for the pair: --pair demo\n"
    for given, is_told in (
        (["demo", "What is join?"], True),
        (["--pair", "demo", "demo", "What?"], False),
        (["demo"], False),
        (["What", "demo"], False),
    ):
        assert main(["ask", *given]) == 0
        assert (words in capsys.readouterr().err) is is_told


def test_and_in_the_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--json", "What is join?"]) == 0
    out = capsys.readouterr().out
    assert FAILED in json.loads(out)["notices"] and json.loads(out)["text"] == SAID
    assert out.isascii(), "an answer's control characters, written out, are a terminal's to obey"


@pytest.mark.parametrize(
    ("flags", "printed"), [([], "It joins \n"), (["--json"], "")], ids=["text", "json"]
)
def test_an_answer_that_breaks_off_ends_its_line(
    flags: list[str],
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken = Answer(words(SAID), die_after=2)
    monkeypatch.setattr(engine, "EngineClient", lambda _: Breaking(broken))
    assert main(["ask", *flags, "What is join?"]) == 1
    assert capsys.readouterr().out == printed
