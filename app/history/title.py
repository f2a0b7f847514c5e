"""The title that a chat gets by itself: the first line of its first question, without markup."""

from __future__ import annotations

import re

from app.history.figures import storable
from app.terminal.sanitise import one_line, sanitise

LONGEST = 60
LONGEST_OWN = 200

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LEADING = re.compile(r"^\s*(?:(?:[#>]+|[-*+]|\d+[.)])\s+)*")
_MARKS = re.compile(r"`+|\*\*|~~|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def title_of(question: str) -> str:
    """Return the title for a chat that begins so; "" if it says nothing."""
    for line in sanitise(storable(question[:4000])).splitlines():
        plain = "" if _FENCE.match(line) else one_line(_plain(line))
        if plain:
            return _shortened(plain)
    return ""


def own_title(title: str) -> str:
    """Return a title that a person wrote, as one harmless line."""
    return one_line(storable(title), LONGEST_OWN)


def _plain(line: str) -> str:
    return _MARKS.sub("", _LINK.sub(r"\1", _LEADING.sub("", line)))


def _shortened(line: str) -> str:
    """Cut a line to LONGEST characters, between words where that loses less than half."""
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    at_word = cut.rsplit(" ", 1)[0] if line[LONGEST - 1] != " " else cut
    return (at_word if len(at_word) > LONGEST // 2 else cut).rstrip() + "…"
