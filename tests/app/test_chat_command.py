"""`slipstream chat` begins where the person was, unless something says otherwise."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.commands.chat import add_arguments, asked, begins_anew


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
