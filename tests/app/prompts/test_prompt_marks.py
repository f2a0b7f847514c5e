"""What is marked in a prompt is what the app takes it for, and marking it takes no time."""

from __future__ import annotations

import random

import pytest

from app.files.mentions import CODE, mentions
from app.prompts.prompt_marks import LONGEST_LOOKED_AT, fenced, of_command, of_line


def marked(line: str) -> list[tuple[str, str]]:
    return [(mark.kind, line[mark.start : mark.end]) for mark in of_line(line)]


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("# A title", [("heading", "# A title")]),
        ("#hash", []),
        ("say **this now** twice", [("strong", "**this now**")]),
        ("2 ** 3 ** 4", []),
        ("**a *b* c** d **e", [("strong", "**a *b* c**")]),
        ("**a **b**", [("strong", "**b**")]),
        ("``a`", []),
        ("a `**b** @c.py` d", [("code", "`**b** @c.py`")]),
        ("``a ` b``", [("code", "``a ` b``")]),
        ("> as @a.py says", [("quote", "> as @a.py says")]),
        ('see @a.py, @"b c.txt"', [("file", "@a.py"), ("file", '@"b c.txt"')]),
        ("mail me@home", []),
        ("# of **two**", [("heading", "# of **two**"), ("strong", "**two**")]),
    ],
)
def test_a_line_is_marked_as_it_is_meant(line: str, marks: list[tuple[str, str]]) -> None:
    assert marked(line) == marks


def test_a_file_that_may_be_a_handle_is_not_certain() -> None:
    assert [mark.certain for mark in of_line("@alice @a.py")] == [False, True]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("a\n```py\nb\n```\nc", [False, True, True, True, False]),
        ("```\nopen", [True, True]),
        ("~~~\n```\n~~~\nc", [True, True, True, False]),
        ("````\n```\n````\nc", [True, True, True, False]),
        ("```all on one line```", [False]),
        ("```", [True]),
    ],
)
def test_fences_reach_from_mark_to_mark(text: str, inside: list[bool]) -> None:
    assert fenced(text.split("\n")) == inside


def test_nothing_is_marked_as_a_file_that_would_not_be_sent() -> None:
    rng = random.Random(7)
    parts = ["```", "~~~", "````", "`", "@a.py", "> ", " ", "word", "\n", "\n", '@"b c"', "**"]
    for _ in range(3000):
        text = "".join(rng.choices(parts, k=rng.randrange(14)))
        lines = text.split("\n")
        inside = fenced(lines)
        starts = [sum(len(line) + 1 for line in lines[:row]) for row in range(len(lines))]
        found = [
            (starts[row] + mark.start, mark.path)
            for row, line in enumerate(lines)
            if not inside[row]
            for mark in of_line(line)
            if mark.kind == "file"
        ]
        assert found == [(one.start, one.path) for one in mentions(text)], repr(text)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("/help", ("command", 5)),
        ("/HELP copy", ("command", 5)),
        ("/regenerate", ("command", 11)),
        ("/he", None),
        ("/he ", ("unknown", 3)),
        ("/nonsense", ("unknown", 9)),
        ("/etc/hosts says", None),
        ("//help", None),
        ("/no_think why?", None),
        ("help", None),
        ("", None),
    ],
)
def test_a_command_is_known_or_not_or_still_being_typed(
    text: str, mark: tuple[str, int] | None
) -> None:
    found = of_command(text)
    assert (None if found is None else (found.kind, found.end)) == mark


def test_of_an_endless_line_the_beginning_is_looked_at() -> None:
    line = "`a` " * LONGEST_LOOKED_AT
    assert max(mark.end for mark in of_line(line)) <= LONGEST_LOOKED_AT
    assert len(CODE.findall(line)) > len(of_line(line)) > 100
