"""Compares a screen with how it looked when somebody last looked at it and said: so be it.

A snapshot is a text file that a person can read in a diff: the screen's characters, below them a
letter wherever they look other than plain text, and what each letter looks like. It holds nothing
of how Textual draws, so it is the same for every version that the project runs on.
pytest-textual-snapshot, which is usual for this, compares SVG files: unreadable in a diff, bound
to one version of Textual, and it holds pytest below 9.

    pytest tests/app/tui/test_snapshots.py --update-snapshots

takes them anew; look at the diff before it is kept. A screen is given time to become what it was.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters, digits

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.app.tui.fakes import wait_until
from tests.app.tui.picture import picture

FOLDER = Path(__file__).parent / "snapshots"
LETTERS = ascii_letters + digits + "".join(map(chr, range(0x3B1, 0x3CA)))
TURNS = 300
"""Of the app's, for a screen to become what it was."""
CALM = 30
"""Turns without a change, before a snapshot is taken anew."""
BLANK = " "


@dataclass(frozen=True, slots=True)
class Cell:
    """A character on the screen, and how it looks, in words."""

    text: str
    look: str
    ground: str


def snapshot(lines: Iterable[Iterable[Segment]]) -> str:
    """Return the text of a snapshot: characters, letters of looks, and what they mean; "" of a
    screen that is not laid out yet.
    """
    cells = [[cell for segment in line for cell in _cells(segment)] for line in lines]
    every = [cell for line in cells for cell in line]
    if not every:
        return ""
    ground = Counter(cell.ground for cell in every).most_common(1)[0][0]
    looks = Counter(cell.look for cell in every if cell.text != BLANK)
    plain = looks.most_common(1)[0][0] if looks else ground
    meaning = {plain: BLANK, ground: BLANK}
    for cell in every:
        if cell.look not in meaning:
            meaning[cell.look] = LETTERS[len(meaning) - len({plain, ground})]
    text = ["".join(cell.text for cell in line).rstrip() for line in cells]
    marks = [
        "".join(meaning[cell.look] * cell_len(cell.text) for cell in line).rstrip()
        for line in cells
    ]
    legend = [f"{letter}: {look}" for look, letter in meaning.items() if letter != BLANK]
    return "\n".join(
        [*text, "-- looks --", *marks, "-- letters --", f"plain: {plain}", *legend, ""]
    )


def _cells(segment: Segment) -> list[Cell]:
    style = segment.style or Style()
    ground = f"on {_colour(style.bgcolor)}"
    marks = {
        "bold": style.bold,
        "dim": style.dim,
        "italic": style.italic,
        "underlined": style.underline,
        "struck": style.strike,
        "reversed": style.reverse,
    }
    words = [word for word, is_so in marks.items() if is_so]
    look = " ".join([*words, _colour(style.color), ground])
    seen = [word for word in words if word in ("underlined", "struck", "reversed")]
    blank = " ".join([*seen, ground])
    return [
        Cell(character, blank if character == BLANK else look, ground)
        for character in segment.text
        if cell_len(character)
    ]


def _colour(colour: Color | None) -> str:
    if colour is None:
        return "default"
    return colour.triplet.hex if colour.triplet is not None else colour.name


class Snapshots:
    """The snapshots on disk. is_update: take them anew."""

    def __init__(self, is_update: bool) -> None:
        self._is_update = is_update

    async def compare(self, pilot: Pilot[None], name: str) -> str:
        """Return "" if the screen is, or within a while becomes, as it was; else the difference."""
        file = FOLDER / f"{name}.txt"
        if self._is_update:
            file.parent.mkdir(exist_ok=True)
            file.write_text(await _calm(pilot), "utf-8")
        kept = file.read_text("utf-8") if file.exists() else ""
        try:
            await wait_until(lambda: _now(pilot) == kept, TURNS)
        except AssertionError:
            return _difference(kept, _now(pilot), name)
        return ""


def _now(pilot: Pilot[None]) -> str:
    for field in (*pilot.app.screen.query(Input), *pilot.app.screen.query(TextArea)):
        field.cursor_blink = False
    return snapshot(picture(pilot.app))


async def _calm(pilot: Pilot[None]) -> str:
    """Return the snapshot of a screen that has come to rest."""
    last, same = "", 0

    def is_calm() -> bool:
        nonlocal last, same
        now = _now(pilot)
        last, same = now, same + 1 if now and now == last else 0
        return same >= CALM

    await wait_until(is_calm)
    return last


def _difference(kept: str, now: str, name: str) -> str:
    lines = difflib.unified_diff(
        kept.splitlines(),
        now.splitlines(),
        f"{name} as it was",
        f"{name} as it is",
        lineterm="",
        n=1,
    )
    return "\n".join(["if it shall be so: --update-snapshots", *lines])
