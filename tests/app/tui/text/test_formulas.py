"""Formulas are shown as they were written; what is money or a source's number is none."""

from __future__ import annotations

import pytest
from markdown_it.token import Token

from app.tui.text.formulas import LONGEST
from app.tui.text.markdown import parser
from engine import PLAIN, Span
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine

BREAKS = {"hardbreak": "\n", "softbreak": " "}
ALIGNED = "\\[\n\\begin{aligned}\na &= b * c \\\\\n- d * e\n= f\n# g\n\\end{aligned}\n\\]"


def shown(text: str) -> list[str]:
    """Return the paragraphs, cells and headings of a text, with emphasis as `/` on its sides."""
    found = []
    for token in parser().parse(text):
        if token.type == "inline":
            found.append("".join(map(written, token.children or ())))
    return found


def written(token: Token) -> str:
    return "/" if token.nesting else BREAKS.get(token.type, token.content)


@pytest.mark.parametrize(
    "formula",
    [
        r"$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$",
        "$a_1*b*c_2$",
        "$x$",
        r"$\$5 * x * y$",
        r"\(x_1 + x_2\)",
        r"\[ \frac{a}{b}\,dx \]",
        r"$$\int_0^\infty e^{-x}\,dx = 1$$",
        "$$a*b*c$$",
        r"\(a \\ b\)",
    ],
)
def test_a_formula_is_shown_as_it_was_written(formula: str) -> None:
    assert shown(formula) == [formula]
    assert shown(f"See {formula}, *that*.") == [f"See {formula}, /that/."]
    assert shown(f"- **{formula}** is one") == [f"/{formula}/ is one"]
    assert shown(f"# {formula}\n> {formula}") == [formula, formula]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from $5 to *about* $10", "from $5 to /about/ $10"),
        ("5$ for *this* and 6$ for *that*", "5$ for /this/ and 6$ for /that/"),
        ("*$5*-*$10*", "/$5/-/$10/"),
        ("$HOME and *then* $PATH", "$HOME and /then/ $PATH"),
        ("`$a*b*` is *c$*", "$a*b* is /c$/"),
        (r"\$5 is *not* \$6", "$5 is /not/ $6"),
        (r"\[1\] *Smith*, see \[2\]", "[1] /Smith/, see [2]"),
        (r"\\(a *b* c\\)", r"\(a /b/ c\)"),
        (r"\(a *b* c", "(a /b/ c"),
        ("a $$ *b* c", "a $$ /b/ c"),
        (r"\(a *b* \(c_1 + d_1\)", r"(a /b/ \(c_1 + d_1\)"),
        (r"So \[a *b* \[c_1 + d_1\]", r"So [a /b/ \[c_1 + d_1\]"),
    ],
)
def test_other_dollars_and_brackets_are_as_ever(text: str, expected: str) -> None:
    assert shown(text) == [expected]


@pytest.mark.parametrize("formula", [ALIGNED, "$$\na * b * c\n- d\n$$", "$$ a\n* b * c $$"])
def test_one_that_begins_a_line_is_a_paragraph_of_its_lines(formula: str) -> None:
    assert shown(formula) == [formula]
    assert shown(f"So:\n{formula}\n*then*") == ["So:", formula, "/then/"]
    inside = formula.replace("\n", "\n   ")
    assert shown(f"1. So:\n   {inside}\n2. *then*") == ["So:", formula, "/then/"]
    assert shown("> " + formula.replace("\n", "\n> ")) == [formula]


@pytest.mark.parametrize("begin", ["\\[", "$$"])
def test_one_that_is_not_over_goes_on_to_a_blank_line(begin: str) -> None:
    assert shown(f"{begin}\na * b * c\n- d") == [f"{begin}\na * b * c\n- d"]
    assert shown(f"{begin} a\n\n*then*") == [f"{begin} a", "/then/"]


def test_a_long_one_is_shown_as_well() -> None:
    formula = "$$\n" + "a_1 * a_2 *\n" * LONGEST + "$$"
    assert shown(formula) == [formula]


def test_it_is_code_where_it_is_indented_or_fenced() -> None:
    assert [token.type for token in parser().parse("    $$a$$")] == ["code_block"]
    assert [token.type for token in parser().parse("```\n$$\na\n```")] == ["fence"]


@pytest.mark.parametrize("n_at_once", [1, 3, 1000])
def test_it_is_on_the_screen_however_it_comes(n_at_once: int) -> None:
    text = f"It is \\(x_1 * x_2 * 2\\):\n{ALIGNED}\nand **so on**."
    pieces = [text[at : at + n_at_once] for at in range(0, len(text), n_at_once)]
    spans = [Span(piece, PLAIN) for piece in pieces]

    async def scenario(chat: Chat) -> None:
        await chat.ask("how?")
        await chat.answered()
        lines = [line[:70].strip() for line in chat.text.splitlines()]
        wanted = [r"It is \(x_1 * x_2 * 2\):", *ALIGNED.split("\n"), "and so on."]
        found = [line for line in lines if line in wanted]
        assert found == wanted

    drive(scenario, FakeEngine(Answer(spans)))
