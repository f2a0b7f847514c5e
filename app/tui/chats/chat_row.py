"""A chat as one row of a list: its columns, and what a search found in it.

Pure; every foreign text comes out of here in harmless lines, none longer than asked for.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.content import Content

from app.history import DELETED_FOR_S, ChatInfo, Hit, Mark
from app.terminal.sanitise import one_line
from app.tui.models.pair_view import STAR
from app.tui.tones import DIM

OPEN = "●"
FOUND = "bold underline $accent"
UNTITLED = "(no title)"
MARGIN, GAP = 3, 2
PAIR, ASKED, WHEN = 20, 5, 7
WITH_PAIR = 72
"""The width from which on there is room for the pair."""
SHARES = {"user": "You: ", "assistant": "Answer: "}

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat in the list. hit: what a search found in it, None in the list of all."""

    info: ChatInfo
    hit: Hit | None = None

    def titled(self, title: str) -> ChatRow:
        """Return the row with another title."""
        return replace(self, info=replace(self.info, title=title), hit=self._without_marks())

    def pinned(self, pinned: bool) -> ChatRow:
        """Return the row of the chat when it is pinned, or no longer."""
        return replace(self, info=replace(self.info, pinned=pinned))

    def lines(self, width: int, now: float, is_open: bool) -> list[Content]:
        """Return the row: one line, and one more for what was found."""
        first = self._columns(width, now, is_open)
        return [first] if self.hit is None else [first, _found(self.hit, width)]

    def _columns(self, width: int, now: float, is_open: bool) -> Content:
        info, room = self.info, title_width(width)
        marks = Content.assemble(
            (STAR if info.pinned else " ", "$warning"), (OPEN if is_open else " ", "$success"), " "
        )
        name = marked(info.title, self.hit.title_marks if self.hit else ())
        name = name if name.plain else Content.styled(UNTITLED, DIM)
        cells = [marks + _left(name, room)]
        if has_pair(width):
            cells.append(_left(Content.styled(one_line(info.pair), DIM), PAIR))
        cells.append(_right(str(info.n_questions), ASKED))
        gone = info.deleted_at
        when = ago(info.updated_at, now) if gone is None else left(gone, now)
        cells.append(_right(when, WHEN))
        return Content(" " * GAP).join(cells).truncate(max(0, width), ellipsis=True)

    def _without_marks(self) -> Hit | None:
        return replace(self.hit, title_marks=()) if self.hit else None


def header(width: int, last: str = "last") -> Content:
    """Return the names of the columns. last: of the last one."""
    cells = [Content(" " * MARGIN) + _left(Content("chat"), title_width(width))]
    cells += [_left(Content("pair"), PAIR)] if has_pair(width) else []
    cells += [_right("asked", ASKED), _right(last, WHEN)]
    return Content(" " * GAP).join(cells).truncate(max(0, width), ellipsis=True)


def has_pair(width: int) -> bool:
    """Say whether a list of this width shows the pair."""
    return width >= WITH_PAIR


def title_width(width: int) -> int:
    """Return how wide the titles are in a list of this width."""
    others = MARGIN + GAP + ASKED + GAP + WHEN + (GAP + PAIR if has_pair(width) else 0)
    return max(1, width - others)


def marked(text: str, marks: Sequence[Mark]) -> Content:
    """Return a text as a line, with what matched in it if it is a line already."""
    content = Content(one_line(text))
    for start, end in marks if content.plain == text else ():
        if 0 <= start < end <= len(text):
            content = content.stylize(FOUND, start, end)
    return content


def ago(at: float, now: float) -> str:
    """Return how long ago that was, in at most WHEN characters; a date if it is long ago."""
    age = now - at
    if age < MINUTE_S:
        return "now"
    if age < HOUR_S:
        return f"{age // MINUTE_S:.0f} min"
    if age < DAY_S:
        return f"{age // HOUR_S:.0f} h"
    if age < 7 * DAY_S:
        return f"{age // DAY_S:.0f} d"
    then, today = time.localtime(at), time.localtime(now)
    same_year = then.tm_year == today.tm_year
    return time.strftime("%d %b" if same_year else "%Y-%m", then).lstrip("0")


def left(deleted_at: float, now: float) -> str:
    """Return for how long a deleted chat can still be brought back."""
    days = (deleted_at + DELETED_FOR_S - now) / DAY_S
    return f"{days:.0f} d" if days >= 1 else "< 1 d"


def _found(hit: Hit, width: int) -> Content:
    """Return where the words stand, and in how many messages."""
    more = f"{hit.n_found} found" if hit.n_found > 1 else ""
    room = max(0, width - MARGIN - (len(more) + GAP if more else 0))
    if hit.message is None:
        said = Content.styled("in the title", DIM)
    else:
        text = marked(hit.snippet, hit.marks).stylize_before(DIM)
        said = Content.styled(SHARES.get(hit.role, ""), DIM) + text
    line = Content(" " * MARGIN) + _left(said, room)
    if more:
        line += Content(" " * GAP) + Content.styled(more, DIM)
    return line.truncate(max(0, width), ellipsis=True)


def _left(cell: Content, width: int) -> Content:
    return cell.truncate(width, ellipsis=True, pad=True)


def _right(text: str, width: int) -> Content:
    cell = Content.styled(text, DIM).truncate(width, ellipsis=True)
    return Content(" " * (width - cell.cell_length)) + cell
