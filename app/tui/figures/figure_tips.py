"""What a figure under the mouse means, in the words of the help screen. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from app.tui.help.words import COLOURS, FIGURES, Section


def meaning(text: str, column: int) -> str | None:
    """Return what is named in this column of a text, or else first in it; None: nothing is."""
    colours = _named(COLOURS)
    is_legend = "corrected" in text or text.strip() in colours
    named = colours if is_legend else _named(FIGURES)
    found = list(_pattern(tuple(named)).finditer(text))
    here = next((one for one in found if one.start() <= column < one.end()), None)
    one = here or next(iter(found), None)
    return None if one is None else named[one[0]]


def _named(section: Section) -> Mapping[str, str]:
    words = ((entry.word.split(", "), entry.meaning) for entry in section.entries)
    return {name: meaning for names, meaning in words for name in names}


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
