"""Which characters of an answer were guessed, by whom, and where they end up in rendered Markdown.

The visible text of a Markdown block is nearly a subsequence of its source lines: markup is left
out, little is added. `trace` finds for each visible character its place in the source, so that the
origins known for the source can be shown inside the rendered text. Pure; knows no widget.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from engine import BONUS, CORRECTED, PLAIN

KNOWN = ("lookup", "draft_model", CORRECTED, BONUS)
"""Origins with a colour of their own; any other drafter's words share one."""
OTHER = "drafter"
PROBES = (4, 3, 2, 1)
FAR = 400

_SPACES = str.maketrans("\n\t\xa0", "   ")


def label(origin: str) -> str:
    """Return the origin as a person reads it."""
    return origin.replace("_", " ")


def style_of(origin: str) -> str:
    """Return the component class that colours this origin."""
    return f"origin-{origin if origin in KNOWN else OTHER}"


class Origins:
    """The origin of every character of a growing text, kept as runs."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._names: list[str] = []
        self.length = 0

    def add(self, text: str, origin: str) -> None:
        """Take in the next piece of the text."""
        if not text:
            return
        if not self._names or self._names[-1] != origin:
            self._starts.append(self.length)
            self._names.append(origin)
        self.length += len(text)

    def at(self, position: int) -> str:
        """Return the origin of one character; beyond the end it is plain."""
        if not 0 <= position < self.length:
            return PLAIN
        return self._names[bisect_right(self._starts, position) - 1]


def trace(visible: str, source: str) -> list[int]:
    """Find the index in `source` of each visible character, in order; -1: it is not there."""
    visible, source = visible.translate(_SPACES), source.translate(_SPACES)
    places: list[int] = []
    here = 0
    for index, character in enumerate(visible):
        if not source.startswith(character, here):
            found = _resync(visible, index, source, here)
            if found < 0:
                places.append(-1)
                continue
            here = found
        places.append(here)
        here += 1
    return places


def _resync(visible: str, index: int, source: str, here: int) -> int:
    """Skip markup: find where the visible text goes on, by as much of it as agrees; else -1."""
    for size in PROBES:
        probe = visible[index : index + size]
        reach = here + FAR if size > 1 else here + PROBES[0]
        found = source.find(probe, here, reach + size)
        if found >= 0:
            return found
    return -1


def runs(
    visible: str, source: str, offset: int, origins: Origins
) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, origin) over the visible text, leaving plain text out.

    offset: where `source` lies in the whole text. A character that is not in the source (a bullet,
    a decoded entity) goes with the one before it.
    """
    start, current = 0, PLAIN
    for index, place in enumerate(trace(visible, source)):
        origin = current if place < 0 else origins.at(offset + place)
        if origin != current:
            if current != PLAIN:
                yield start, index, current
            start, current = index, origin
    if current != PLAIN:
        yield start, len(visible), current
