"""What stands in a prompt that means something: code, headings, bold words, files, a command.

Pure and quick, for it is done with every letter: a line's marks are known from the line alone and
whether it is in a fence, and are kept. What counts as code and as a mention is
app/files/mentions.py's, what is a command slash.py's. That there is such a file somebody else has
to see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from app.files.mentions import CODE, mentions
from app.prompts import slash

Kind: TypeAlias = Literal[
    "fence", "heading", "quote", "strong", "code", "file", "missing", "command", "unknown"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_LOOKED_AT = 1_000
"""Characters of one line: what stands behind them is not marked."""
MOST_KNOWN = 512
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
JUST_OPENED = re.compile(r"[ \t]*(`{3,}|~{3,})[^\s`~@]*[ \t]*")
HEADING = re.compile(r" {0,3}#{1,6}(?=\s)[^\n]*")
STRONG = re.compile(r"\*\*(?=[^\s*])(?:[^*\n]|\*(?!\*))*+(?<=[^\s*])\*\*")


@dataclass(frozen=True, slots=True)
class Mark:
    """line[start:end] is of a kind. path: of what may be a file; certain: it can only be one."""

    start: int
    end: int
    kind: Kind
    path: str = ""
    certain: bool = False


def fenced(lines: Sequence[str]) -> list[bool]:
    """Return of each line whether it belongs to a block of code."""
    found: list[bool] = []
    fence, last = "", len(lines) - 1
    for row, line in enumerate(lines):
        opening = FENCE.match(line)
        if row == last and not fence and not JUST_OPENED.fullmatch(line):
            opening = None  # as app/files/mentions.py has it: nothing follows yet
        found.append(bool(fence or opening))
        if not fence:
            fence = opening[1] if opening else ""
        elif opening and re.fullmatch(rf"[ \t]*{fence}[`~]*[ \t]*", line):
            fence = ""
    return found


@lru_cache(MOST_KNOWN)
def of_line(line: str) -> tuple[Mark, ...]:
    """Return the marks of a line outside of fences, those in front that others may stand upon."""
    line = line[:LONGEST_LOOKED_AT]
    heading = HEADING.match(line)
    found = [Mark(0, heading.end(), "heading")] if heading else []
    code = [Mark(*each.span(), "code" if each[2] else "quote") for each in CODE.finditer(line)]
    strong = [Mark(*each.span(), "strong") for each in STRONG.finditer(line)]
    found += [one for one in strong if not any(_meet(one, each) for each in code)]
    named = mentions(line) if "@" in line else ()
    files = [Mark(one.start, one.end, "file", one.path, one.certain) for one in named]
    return (*found, *code, *files)


def of_command(text: str) -> Mark | None:
    """Return the mark of the slash command that a text begins with, if it does; None as long as
    one may still come of it.
    """
    found = slash.begun(text)
    if found is None:
        return None
    end, is_known = found
    return Mark(0, end, "command" if is_known else "unknown")


def _meet(one: Mark, other: Mark) -> bool:
    return other.kind == "code" and one.start < other.end and other.start < one.end
