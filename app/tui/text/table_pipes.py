"""Tables whose code or formulas have pipes in them, such as `ls | grep x` and `$|x|$`, as their
author meant them.

GitHub's Markdown ends a cell at each pipe that is not escaped, and leaves out what is more than the
head has cells: the end of such a row would be missing. So where a row has too many cells, and would
have as many as the head if the pipes in its code and formulas were escaped, they are. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"[>\s]*(`{3,}|~{3,})")
DELIMITERS = re.compile(r"[>\s]*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?")
"""The line below a table's head; without a pipe it makes a heading of the line."""
WHOLE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\$[^\s$][^$`]*\$|\\\((?:(?!\\\().)+?\\\)")
"""Code and formulas, not looked for beyond the next beginning: a row may be all beginnings."""
PIPE = re.compile(r"(?<!\\)\|")


def with_cells_whole(text: str) -> str:
    """Return a text with the pipes escaped that would tear code or formulas in its tables apart."""
    may_be_torn = "|" in text and any(mark in text for mark in ("`", "$", r"\("))
    return "\n".join(_lines(text)) if may_be_torn else text


def _lines(text: str) -> Iterator[str]:
    lines = text.split("\n")
    fence, n_cells = "", 0
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        found = FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        if fence or not PIPE.search(line):
            n_cells = 0
        elif not n_cells and "|" in below and DELIMITERS.fullmatch(below):
            n_head = _cells(below)
            n_cells = n_head if _cells(_fitted(line, n_head)) == n_head else 0
        yield _fitted(line, n_cells) if n_cells else line


def _fitted(row: str, n_cells: int) -> str:
    escaped = _escaped(row)
    return escaped if _cells(row) > n_cells == _cells(escaped) else row


def _escaped(row: str) -> str:
    return WHOLE.sub(lambda found: PIPE.sub(r"\\|", found[0]), row)


def _cells(row: str) -> int:
    """Count the cells of a row, with or without pipes at its ends."""
    inner = row.strip("> \t").removeprefix("|")
    is_closed = inner.endswith("|") and not inner.endswith("\\|")
    return 1 + len(PIPE.findall(inner)) - is_closed
