"""The word of a line that is meant by a double click."""

from __future__ import annotations

import re

WORD = re.compile(r"(?:[~.]{0,2}/)?\w+(?:[-./:@'\u2019+]+\w+)*|[^\w\s]+")
"""What a double click takes: a word, be it a path or an address; or the signs between words."""
WORD_CLICKS, LINE_CLICKS = 2, 3


def word_in(line: str, at: int) -> tuple[int, int] | None:
    """Return from where to where the word goes that a character belongs to, None if to none."""
    words = (word.span() for word in WORD.finditer(line))
    return next(((start, end) for start, end in words if start <= at < end), None)
