"""`slipstream ask` says how an answer was made if that was not as usual."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

import engine
from app.chat.summary import NOBODY
from app.cli import main
from app.paths import Paths
from engine import Finished, Span
from tests.app.tui.fakes import READY, Answer, FakeEngine, stats_at, words
from tests.pair import DRAFT, TARGET

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


PLAIN = replace(READY, drafter="none", drafters=[])
UNDRAFTED = replace(stats_at(6), drafted=0, accepted=0, tested=0, acceptance_rate=None, speedup=1.0)


class Undrafted(Breaking):
    """What `ask` starts where nobody drafts."""

    def _finished(self, request: int, given: Sequence[Span]) -> Finished:
        return replace(super()._finished(request, given), stats=UNDRAFTED)


@pytest.mark.parametrize(
    ("of_file", "flags", "off", "is_told"),
    [
        ("none", [], "", True),
        ("none", ["--drafter", "none"], "", False),
        ("auto", [], "--draft-tokens is 0.", False),
    ],
    ids=["in the file", "just typed", "a notice tells"],
)
def test_who_has_nobody_draft_by_the_settings_file_is_reminded_of_it(
    of_file: str,
    flags: list[str],
    off: str,
    is_told: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Paths().ensure().settings_file.write_text(f'drafter = "{of_file}"')
    ready = replace(PLAIN, off=off)
    monkeypatch.setattr(engine, "EngineClient", lambda _: Undrafted(ready=ready))
    assert main(["ask", *flags, "What is join?"]) == 0
    assert (NOBODY in capsys.readouterr().err) is is_told


@pytest.mark.parametrize(
    ("drafter", "is_given", "is_told"),
    [
        ("lookup", True, True),
        ("auto", True, False),
        ("none", True, False),
        ("lookup", False, False),
    ],
    ids=["in vain", "used", "nobody drafts", "a pair's own"],
)
def test_a_draft_model_that_was_given_in_vain_is_said_to_be(
    drafter: str,
    is_given: bool,
    is_told: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Paths().ensure().settings_file.write_text(f'drafter = "{drafter}"')
    files = ["--model", str(TARGET), "--model-draft", str(DRAFT)] if is_given else []
    assert main(["ask", *files, "What is join?"]) == 0
    said = capsys.readouterr().err
    assert ("The draft model is not used: the drafter is lookup; --drafter auto" in said) is is_told


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
