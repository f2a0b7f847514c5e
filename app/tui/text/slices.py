"""Cuts Markdown that grows into slices, each of them rendered by itself.

A slice is a run of whole blocks, or a part of a long list or of a long code block, which the next
slice goes on with: behind `prefix`, the line that opens the code block. So what must be parsed and
rendered anew when more text comes is no longer than a slice, however long the answer. A paragraph
that does not end is cut between words, where its line then ends, unless it has any markup. Never
cut are tables, block quotes and single list items: only with one of these does a slice grow.

A cut is made only in text that came last, so that nothing that was rendered has to go, and before a
line that tells what it begins: with "1" it may be an item, with "1. A" it is one. So who feeds it
leaves the beginning of a line that does not tell for the next time (`telling`). The texts of the
slices, joined, are the text that was fed. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.tui.text.formulas import read_displayed

SIZE = 1200
"""From this weight on a slice ends where it can."""
LINE = 40
"""What a line weighs beside its characters."""
ENDLESS = 4 * SIZE
"""A paragraph of so many characters does not end."""
MARKUP = frozenset("*_`~[]<\\|")
LISTS = ("bullet_list_open", "ordered_list_open")
TELLS_NOT = re.compile(r"[-*+_=#>|:.)\s\d]*|\s*\\(\[\d*\\?)?")
"""The beginning of a line that may still become one thing or another."""
WAITS = 8
"""So long at most such a beginning is."""


@dataclass(slots=True)
class Slice:
    """start: its place in the whole text. prefix: opens the block that it goes on with.

    goes_on: its first block began in the slice before.
    """

    start: int
    prefix: str = ""
    goes_on: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Cut:
    """at: where the next slice begins, counted from this one's beginning."""

    at: int
    prefix: str = ""
    goes_on: bool = False


class Slicer:
    """Cuts one text."""

    def __init__(self) -> None:
        self.slices = [Slice(0)]

    def telling(self, text: str) -> int:
        """Return how much of a text to feed: all but a beginning of a line that does not tell."""
        line = text.rfind("\n") + 1
        fed = self.slices[-1].text
        is_begun = not line and fed and not fed.endswith("\n")
        waits = not is_begun and len(text) - line <= WAITS and TELLS_NOT.fullmatch(text, line)
        return line if waits else len(text)

    def feed(self, text: str) -> None:
        """Take in more text, a few lines at most, and so make one cut at most."""
        live = self.slices[-1]
        known = len(live.text)
        live.text += text
        if len(live.text) + LINE * live.text.count("\n") < SIZE:
            return
        cut = _cut(live, known)
        if cut is not None:
            rest = live.text[cut.at :]
            live.text = live.text[: cut.at]
            self.slices.append(Slice(live.start + cut.at, cut.prefix, cut.goes_on, rest))


def _cut(live: Slice, known: int) -> _Cut | None:
    """Return where a slice can end, behind the `known` characters; None where it cannot yet."""
    lines = (live.prefix + live.text).splitlines(keepends=True)
    starts = [-len(live.prefix), *accumulate(map(len, lines), initial=-len(live.prefix))][1:]
    found = _block_parser().parse("".join(lines))
    last = next((token for token in reversed(found) if token.map and token.level == 0), None)
    if last is None or last.map is None:
        return None
    first = last.map[0]
    is_fence = last.type == "fence"
    if starts[first] >= max(known, 1) and _tells(lines[first], is_fence):
        return _Cut(starts[first])
    if is_fence:
        return _cut_in_fence(lines, starts, last, known)
    if last.type in LISTS:
        items = [token for token in found if token.type == "list_item_open" and token.level == 1]
        at = items[-1].map[0] if items and items[-1].map else 0
        if starts[at] >= max(known, 1) and _tells(lines[at]):
            return _Cut(starts[at], goes_on=True)
    if last.type == "paragraph_open" and len(live.text) - starts[first] >= ENDLESS:
        return _cut_in_paragraph(live.text, starts[first], known)
    return None


def _tells(line: str, is_fence: bool = False) -> bool:
    """Whether the first line of a block or item says for sure that it is one. What opens a code
    block may go on with a backtick, and the paragraph before it with that.
    """
    return line.endswith("\n") or not (is_fence or TELLS_NOT.fullmatch(line))


def _cut_in_paragraph(text: str, first: int, known: int) -> _Cut | None:
    """Cut before a word in mid-line; nowhere where markup may reach beyond the cut."""
    if not MARKUP.isdisjoint(text[first:]):
        return None
    for at in range(len(text) - 1, max(known, first + 2) - 1, -1):
        if text[at].isalpha() and text[at - 1] == " " and not text[at - 2].isspace():
            return _Cut(at, goes_on=True)
    return None


def _cut_in_fence(lines: list[str], starts: list[int], fence: Token, known: int) -> _Cut | None:
    """Cut a code block: before a blank line that ends a part of it; if there is none, anywhere.

    Blank lines go to the next slice: at the end of one they would not be shown.
    """
    assert fence.map is not None
    first = fence.map[0] + 1
    end = lines[fence.map[1] - 1].strip()
    if fence.map[1] > first and end.startswith(fence.markup) and not end.strip(fence.markup[0]):
        return None
    text = "".join(lines)
    known = len(text[: known - starts[0]].rstrip()) + starts[0]
    is_urgent = len(text) + LINE * len(lines) >= 2 * SIZE
    for at in range(len(lines) - 1, first, -1):
        line, before = lines[at], lines[at - 1]
        if starts[at] < known:
            return None
        if not before.strip():
            continue
        parts = not line.strip() and _begins_part("".join(lines[at:]), fence.markup)
        is_inside = bool(line.strip()) and fence.markup[0] not in line
        if parts or (is_urgent and is_inside):
            return _Cut(starts[at], lines[fence.map[0]], goes_on=True)
    return None


def _begins_part(rest: str, markup: str) -> bool:
    """Whether what follows blank lines is code that is not indented."""
    code = rest.lstrip("\n")
    return bool(code) and not code[0].isspace() and code[0] != markup[0]


@cache
def _block_parser() -> MarkdownIt:
    """Return a parser that sees blocks alone."""
    parser = MarkdownIt("gfm-like", {"html": False})
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.disable("reference")  # lines that name links are shown
    read_displayed(parser)
    return parser
