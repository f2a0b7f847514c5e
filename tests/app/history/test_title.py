"""A chat is named by the first thing that was asked, as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.history.title import LONGEST, title_of

TITLES = {
    "What is json?": "What is json?",
    "\n\n  # A *heading* with `code`\nmore": "A heading with code",
    "> - 1. **bold** and __strong__": "bold and strong",
    "see [the docs](https://example.org/x) and ![a picture](p.png)": "see the docs and a picture",
    "```python\nprint(1)\n```": "print(1)",
    "snake_case and 2 * 3 * 4 stay": "snake_case and 2 * 3 * 4 stay",
    "\x1b[2Jclear\u202e": "[2Jclear",
    "": "",
    "   \n\t": "",
    "日本語の質問": "日本語の質問",
}


@pytest.mark.parametrize(("question", "title"), TITLES.items())
def test_the_title_is_the_first_line_without_markup(question: str, title: str) -> None:
    assert title_of(question) == title


def test_a_long_title_is_cut_between_words() -> None:
    title = title_of("word " * 40)
    assert title == "word " * 11 + "word…"
    assert len(title_of("x" * 500)) == LONGEST


@given(st.text())
def test_no_title_is_long_or_has_two_lines(question: str) -> None:
    title = title_of(question)
    assert len(title) <= LONGEST and title.isprintable() | (not title.splitlines()[1:])
