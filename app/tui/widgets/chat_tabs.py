"""The line of open chats: numbers, titles, what runs and what is new. With one chat there is none.

    ←3 [4 What is a path?] 5 Names ◌  6 Bisect ●                  Alt+N next · Alt+W closes

The chat in sight is in brackets, not in another colour alone. Where not all have room, titles are
cut first; then as many as have it are shown, that one among them, and how many more there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from app.terminal.sanitise import one_line
from app.tui.chats.open_chats import NEWS, RUNS, Label
from app.tui.keys.keymap import told
from app.tui.terminal.style_sheet import restyle
from app.tui.tones import DIM

KEYS = "{next-chat} next · {close} closes "
LONGEST, SHORTEST = 28, 8
GAP = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the line. place: the chat that a click on it means, from 1 on."""

    place: int
    content: Content


class ChatTabs(Static):
    """One line, or nothing."""

    DEFAULT_CSS = """
    ChatTabs { height: 1; display: none; background: $surface; text-wrap: nowrap; }
    """

    @dataclass
    class Chosen(Message):
        """A chat was clicked. place: from 1 on."""

        place: int

    def __init__(self) -> None:
        super().__init__()
        self._labels: Sequence[Label] = ()
        self._cells: list[Cell] = []

    def show(self, labels: Sequence[Label]) -> None:
        """Show these."""
        if labels != self._labels:
            self._labels = labels
            self.display = len(labels) > 1
            restyle(self.screen, self.display, "-tabs", "ToastRack")
            self._write()

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._write()

    def on_click(self, event: events.Click) -> None:
        """Say which chat is meant."""
        right = 0
        for cell in self._cells:
            right += cell.content.cell_length
            if event.x < right:
                self.post_message(self.Chosen(cell.place))
                return

    def _write(self) -> None:
        width = self.size.width
        if not self.display or not width:
            return
        self._cells = fitted(self._labels, width)
        line = Content("").join([cell.content for cell in self._cells])
        room = width - line.cell_length - GAP
        keys = told(self, KEYS)
        shown = Content.styled(keys.rjust(room + GAP), DIM)
        self.update(line + shown if room >= len(keys) else line)


def fitted(labels: Sequence[Label], width: int) -> list[Cell]:
    """Return what has room: all, titles cut alike where they must be, else those around the chat in
    sight.
    """
    for longest in range(LONGEST, SHORTEST - 1, -1):
        cells = [_cell(at, label, longest) for at, label in enumerate(labels, 1)]
        if _columns(cells) <= width:
            return cells
    at = next((at for at, label in enumerate(labels) if label.is_current), 0)
    first, last = at, at
    found = wider = _part(labels, cells, first, last)
    while _columns(wider) <= width:
        found = wider
        is_left = first > 0 and (at - first <= last - at or last == len(cells) - 1)
        first, last = (first - 1, last) if is_left else (first, last + 1)
        wider = _part(labels, cells, first, last)
    return found


def _part(labels: Sequence[Label], cells: list[Cell], first: int, last: int) -> list[Cell]:
    """Return some of the cells, between how many more there are at both ends."""
    before, behind = labels[:first], labels[last + 1 :]
    edges = [_edge(f"\N{LEFTWARDS ARROW}{len(before)}", before, first)] if before else []
    ends = [_edge(f"{len(behind)}\N{RIGHTWARDS ARROW}", behind, last + 2)] if behind else []
    return [*edges, *cells[first : last + 1], *ends]


def _columns(cells: Sequence[Cell]) -> int:
    return sum(cell.content.cell_length for cell in cells)


def _cell(place: int, label: Label, longest: int) -> Cell:
    title = Content(one_line(label.title)).truncate(longest, ellipsis=True)
    parts = [Content(f"{place} "), title, _mark([label])]
    if label.is_current:
        styled = [part.stylize("bold") for part in parts]
        bracket = Content.styled("[", "bold $primary"), Content.styled("]", "bold $primary")
        return Cell(place, Content.assemble(bracket[0], *styled, bracket[1]))
    muted = [part.stylize_before(DIM) for part in parts]
    return Cell(place, Content.assemble(" ", *muted, " "))


def _edge(words: str, hidden: Sequence[Label], place: int) -> Cell:
    words = f" {words}"
    return Cell(place, Content.assemble((words, DIM), _mark(hidden), " "))


def _mark(labels: Sequence[Label]) -> Content:
    """Say that something runs, or else that something is new, in any of these chats."""
    if any(label.runs for label in labels):
        return Content.styled(f" {RUNS}", "$primary")
    return Content.styled(f" {NEWS}", "$success") if any(x.has_news for x in labels) else Content()
