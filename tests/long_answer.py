"""An answer of ten thousand tokens as models give them: prose, lists, tables, long blocks of code.

The words are the standard library's own. The tokens have the usual size, four characters or so.
"""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from itertools import cycle, islice

TOKENS = 10_000
LONG_FENCE, SHORT_FENCE = 220, 24
TOKEN = re.compile(r"\n+| *\w{1,5}|\s+|[^\w\s]{1,2}")
ORIGINS = ("plain", "draft_model", "draft_model", "lookup", "lookup", "lookup", "corrected")


def long_answer(n_tokens: int = TOKENS) -> str:
    """Return Markdown of so many tokens; it may end within a block."""
    pieces: list[str] = []
    count = 0
    for number in cycle(range(1, 1000)):
        section = _section(number)
        pieces.append(section)
        count += len(tokens(section))
        if count >= n_tokens:
            break
    return "".join(tokens("".join(pieces))[:n_tokens])


def long_fence(n_tokens: int = TOKENS) -> str:
    """Return a single code block of so many tokens, not closed."""
    return "".join(tokens(f"```python\n{inspect.getsource(argparse)}")[:n_tokens])


def tokens(text: str) -> list[str]:
    """Cut a text into tokens."""
    return TOKEN.findall(text)


def origins(n_tokens: int) -> list[str]:
    """Return who proposed each of so many tokens."""
    return list(islice(cycle(ORIGINS), n_tokens))


def _section(number: int) -> str:
    """Return a heading and one block of each kind; the first and every fourth has a long fence."""
    code = inspect.getsource(argparse).splitlines()
    n_lines = LONG_FENCE if number % 4 == 1 else SHORT_FENCE
    begin = number * 61 % (len(code) - n_lines)
    fence = "\n".join(code[begin : begin + n_lines])
    words = (inspect.getdoc(argparse) or "").replace("\n", " ").replace("`", "").split()
    prose = textwrap.fill(" ".join(words[:60]), 10_000)
    items = [f"- **{word}**: `{word}()` is point {at}" for at, word in enumerate(words[10:18], 1)]
    rows = [f"| {word} | {at} | {word * 2} |" for at, word in enumerate(words[20:26], 1)]
    table = ["| name | place | twice |", "|---|---:|---|", *rows]
    language = ("python", "python", "")[number % 3]
    return "\n\n".join(
        [
            f"## Part {number}",
            prose,
            "\n".join(items),
            f"```{language}\n{fence}\n```",
            "\n".join(table),
            f"So much for part {number}.\n\n",
        ]
    )
