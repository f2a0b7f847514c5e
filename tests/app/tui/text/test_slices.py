"""How Markdown that grows is cut into slices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.tui.text.formulas import read_displayed
from app.tui.text.slices import ENDLESS, SIZE, Slicer
from tests.long_answer import long_answer, long_fence

LINES = [
    "word " * 30,
    "",
    "- item",
    "  more",
    "1. one",
    "```python",
    "```",
    "    x = 1",
    "def f():",
]
LINES += ["| a | b |", "|---|---|", "> quote", "# Head", "---", "x"]
MORE = [
    "12. twelve",
    "* star",
    "**bold** text",
    "#tag",
    "~~~",
    "2 of them",
    "- - -",
    "Title",
    "===",
]
MORE += ["\tcode", ">", "1", "-", "  - nested", "   1. deep", "----x", "`a` b", "[x]: y", "+ plus"]
MORE += ["\\[", "\\]", "$$", "= $$", "\\[ a", "\\[1\\]"]
PROSE = "\n\n".join(f"Paragraph {n}: {'and so on ' * 40}." for n in range(60))


def sliced(text: str, step: int) -> Slicer:
    slicer = Slicer()
    for at in range(0, len(text), step):
        slicer.feed(text[at : at + step])
    return slicer


def fed(text: str, step: int) -> Slicer:
    """Feed it as an answer is fed: what does not tell yet waits for more."""
    slicer, queue = Slicer(), ""
    for at in range(0, len(text), step):
        queue += text[at : at + step]
        n = slicer.telling(queue)
        slicer.feed(queue[:n])
        queue = queue[n:]
    slicer.feed(queue)
    return slicer


def kinds(text: str) -> list[tuple[str, str]]:
    """Return what a text is made of: inline texts and code lines, in order."""
    parser = MarkdownIt("gfm-like", {"html": False}).disable("reference")  # those lines are shown
    read_displayed(parser)
    found = []
    for token in parser.parse(text):
        if token.type == "inline":
            found.append(("inline", token.content))
        elif token.type in ("fence", "code_block"):
            found += [("code", line) for line in token.content.splitlines() if line.strip()]
    return found


@pytest.mark.parametrize("step", [1, 7, 90, 400])
@pytest.mark.parametrize("text", [long_answer(4000), long_fence(4000)], ids=["mixed", "code"])
def test_slices_are_the_text_and_mean_the_same(text: str, step: int) -> None:
    slices = sliced(text, step).slices
    assert "".join(each.text for each in slices) == text
    assert [each.start for each in slices] == [
        sum(len(before.text) for before in slices[:at]) for at in range(len(slices))
    ]
    assert [k for each in slices for k in kinds(each.prefix + each.text)] == kinds(text)


@pytest.mark.parametrize("step", [1, 7, 31, 90])
def test_lines_that_name_links_stay_the_paragraph_that_they_are_shown_as(step: int) -> None:
    named = "".join(f"[{n}]: http://a.b/{n}\n" for n in range(1, 30))
    slices = fed(f"Sources:\n\n{named}\nThe end.\n", step).slices
    assert len(slices) > 1 and named in slices[0].text


@given(st.lists(st.sampled_from(LINES + MORE), min_size=30, max_size=200), st.integers(1, 60))
def test_whatever_comes_and_however_it_means_the_same_in_slices(
    lines: list[str], step: int
) -> None:
    text = "\n".join(lines)
    slices = fed(text, step).slices
    assert "".join(each.text for each in slices) == text
    assert [k for each in slices for k in kinds(each.prefix + each.text)] == kinds(text)


@given(st.lists(st.sampled_from(LINES), max_size=200), st.integers(1, 300))
def test_nothing_that_was_shown_is_cut_off(lines: list[str], step: int) -> None:
    text = "\n".join(lines)
    slicer = Slicer()
    for at in range(0, len(text), step):
        n, shown = len(slicer.slices), slicer.slices[-1].text
        slicer.feed(text[at : at + step])
        assert slicer.slices[n - 1].text.startswith(shown.rstrip())
    assert "".join(each.text for each in slicer.slices) == text


@pytest.mark.parametrize("step", [1, 25, 400])
def test_an_endless_paragraph_is_cut_between_words_and_no_slice_of_it_is_long(step: int) -> None:
    text = "".join(
        f"And so on, I think; round {n} of it.{' ' if n % 9 else chr(10)}" for n in range(900)
    )
    slices = sliced(text, step).slices
    assert "".join(each.text for each in slices) == text
    assert max(len(each.text) for each in slices) < ENDLESS + 500
    assert " ".join(found for each in slices for _, found in kinds(each.text)) == text.rstrip()
    assert [each.goes_on for each in slices] == [False] + [True] * (len(slices) - 1)


@pytest.mark.parametrize("markup", ["*", "`", "[a", "<b", "_"])
def test_a_paragraph_with_markup_is_not_cut_for_that_may_reach_over_the_cut(markup: str) -> None:
    text = f"It {markup}begins. " + "And so on, I think. " * 500
    assert [each.text for each in sliced(text, 100).slices] == [text]


@pytest.mark.parametrize(
    "text",
    [long_answer(), long_fence(), "".join(f"- item {n}\n" for n in range(900)), PROSE],
    ids=["mixed", "code", "list", "prose"],
)
@pytest.mark.parametrize("step", [4, 100])
def test_no_slice_is_long(text: str, step: int) -> None:
    """step: a token, and as many as come between two drains."""
    slices = fed(text, step).slices
    assert len(slices) > len(text) / (3 * SIZE)
    assert max(len(each.text) for each in slices) < 3 * SIZE


@pytest.mark.parametrize(
    ("fed_before", "text", "n"),
    [
        ("", "1", 0),
        ("", "1. A", 4),
        ("Text.\n\n", "- ", 0),
        ("Text.\n\n", "- a", 3),
        ("Text.\n", "\n", 1),
        ("Text", "\n\n##", 2),
        ("Text", " 12", 3),
        ("Text", " is\n12", 4),
        ("", "3.14159265358979", 16),
        ("Text.\n\n", "\\", 0),
        ("Text.\n\n", "\\[12\\", 0),
        ("Text.\n\n", "\\[12\\] a", 8),
        ("Text.\n\n", "\\[x", 3),
    ],
)
def test_a_beginning_of_a_line_that_does_not_tell_what_it_begins_waits(
    fed_before: str, text: str, n: int
) -> None:
    slicer = Slicer()
    slicer.feed(fed_before)
    assert slicer.telling(text) == n
