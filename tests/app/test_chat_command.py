"""`slipstream chat` begins where the person was, unless something says otherwise."""

from __future__ import annotations

import argparse

import pytest

from app.commands.chat import add_arguments, begins_anew


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
