"""Code and formulas with pipes in them stay in their cell; what is in no table stays as it is."""

from __future__ import annotations

import pytest

from app.tui.text.markdown import parser
from app.tui.text.table_pipes import with_cells_whole
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

HEAD = "| command | does |\n|---|---|\n"


def cells(text: str) -> list[str]:
    return [token.content for token in parser().parse(text) if token.type == "inline"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| `ls | grep x` | lists |", ["`ls | grep x`", "lists"]),
        ("| ``a|`b`|c`` | `d|e` |", ["``a|`b`|c``", "`d|e`"]),
        ("`a||b` | or", ["`a||b`", "or"]),
        ("| `a | b` |", ["`a", "b`"]),
        (r"| `a \| b` | c |", ["`a | b`", "c"]),
        ("| $|x|$ | length |", ["$|x|$", "length"]),
        (r"| \(|x|\) | length |", [r"\(|x|\)", "length"]),
        (r"| \( | \(|x|\) |", [r"\(", r"\(|x|\)"]),
        ("| a | b | c |", ["a", "b"]),
        ("| $5 | to | $6 |", ["$5", "to"]),
    ],
)
def test_a_row_that_has_too_many_cells_for_its_code_has_as_many_as_the_head(
    row: str, expected: list[str]
) -> None:
    assert cells(HEAD + row) == ["command", "does", *expected]
    quoted = "".join(f"> {line}\n" for line in (HEAD + row).splitlines())
    assert cells(quoted) == ["command", "does", *expected]


@pytest.mark.parametrize("line", ["The `a|b` operator", "`a|b`"])
def test_a_heading_with_code_is_no_table(line: str) -> None:
    found = parser().parse(f"{line}\n---\n\nand more")
    assert [token.type for token in found if token.level == 0][:1] == ["heading_open"]


def test_a_head_may_have_code_too() -> None:
    assert cells("| `a|b` | c |\n|---|---|\n| 1 | 2 |") == ["`a|b`", "c", "1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "Write `a | b` here.\n\n| no table | here `x|y` |",
        "```\n| a | b |\n|---|---|\n| `x|y` | z |\n```",
        "~~~~ md\n```\n| a | b |\n|---|---|\n| `x|y` | z |\n~~~~",
        "| a | b | c |\n|---|---|\n| `x|y` | z |",
        f"{HEAD}| a | b |\n\nThen `x|y` | z",
    ],
)
def test_what_is_no_row_of_a_table_stays_as_it_is(text: str) -> None:
    assert with_cells_whole(text) == text


def test_the_table_is_whole_on_the_screen() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("pipes?")
        await chat.answered()
        assert chat.shows("ls | grep x") and chat.shows("lists and looks")

    drive(scenario, FakeEngine(Answer(words(f"{HEAD}| `ls | grep x` | lists and looks |"))), WIDE)


@pytest.mark.parametrize(
    "row",
    [
        "| " + " " * 50_000 + "`a`",
        "|`a` " + "> " * 20_000 + "x",
        "|`" * 4_000,
        r"| \(" * 50_000 + " | a | b |",
    ],
)
def test_a_strange_row_takes_no_longer_than_its_length(row: str) -> None:
    for text in (HEAD + row, f"{row}\n{row}\n|---|", f"{row}\n|---{' ' * 50_000}x"):
        assert with_cells_whole(text).replace("\\|", "|") == text
