"""`slipstream chat` begins where the person was, unless something says otherwise."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import pytest

from app.commands.chat import add_arguments, asked, begins_anew, run
from app.errors import TerminalError


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    "words",
    (
        ["--new"],
        ["--ask", "What?"],
        ["--system", "Be brief."],
        ["--persona", "coder"],
        ["--demo-script", "a.txt"],
    ),
)
def test_a_new_chat_is_begun_where_that_is_asked_for(words: list[str]) -> None:
    assert begins_anew(parsed(*words))


@pytest.mark.parametrize("words", ([], ["demo"], ["--temp", "0"]))
def test_else_the_last_chat_comes_back(words: list[str]) -> None:
    assert not begins_anew(parsed(*words))


def test_a_path_with_a_space_is_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my model").write_text("x")
    for word in ("./My Models/x.gguf", "my model"):
        found = asked(parsed(word))
        assert (found.pair, found.ask) == (word, None)
    assert asked(parsed("What is my model?")).ask == "What is my model?"
    assert asked(parsed("why " * 500)).ask


@pytest.mark.parametrize("blank", ["", " ", "\t\n "])
def test_a_question_of_white_space_alone_is_none(blank: str) -> None:
    found = asked(parsed("demo", "--ask", blank))
    assert (found.pair, found.ask) == ("demo", None)
    assert not begins_anew(found)
    assert asked(parsed("What is it?", "--ask", blank)).ask == "What is it?"


def test_a_terminal_that_cannot_place_text_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "dumb")
    for name in ("sys.stdin", "sys.stdout"):
        monkeypatch.setattr(name, Tty())
    with pytest.raises(TerminalError, match=r"TERM is dumb; use `slipstream ask`"):
        run(parsed())


def test_a_model_may_be_named_as_pull_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(TerminalError, match="chat needs a terminal"):
        run(parsed("--model", "Me/Tiny-GGUF:tiny-Q4_K_M.gguf"))
