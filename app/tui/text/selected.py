"""What is selected in a chat: of what is dragged over, the words of people and models alone.

What the app writes beside them (figures, `copy`, which version is shown) is never part of a
selection; a note of the app, or something outside of the transcript, is where nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile

from textual.dom import DOMNode
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection
from textual.widget import Widget
from textual.widgets._markdown import MarkdownBullet, MarkdownList, MarkdownTableContent

from app.tui.text.markdown import BOXES
from app.tui.text.word import word_in
from app.tui.widgets.answer_blocks import Code, Paragraph
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.copy_code import CopyCode
from app.tui.widgets.fold import BODY
from app.tui.widgets.transcript import Transcript

SAID = "said"
"""The class of what holds the words of a person or a model, and nothing else."""
NOTES = ("note", "-failed")
CELLS = " | "
INDENT = "  "
BRACKETS = len("[ ]")
LATER_LINE = re.compile(r"\n(?!\n|$)")

Selections = Mapping[Widget, Selection]


def kept(selections: Selections) -> dict[Widget, Selection]:
    """Return what is selected of all that the mouse was dragged over."""
    said = {each: _whole(it) for each, it in selections.items() if _is_said(each)}
    if said or len(selections) != 1:
        return said
    return {each: it for each, it in selections.items() if _may_be_alone(each)}


def _whole(selection: Selection) -> Selection:
    """Return it with the character under the mouse, which Textual leaves out of the last text."""
    start, end = selection
    if start is not None or end is None:
        return selection
    return Selection(None, Offset(end.x + 1, end.y))


def _is_said(widget: Widget) -> bool:
    if isinstance(widget, CopyCode):
        return False
    return any(each.has_class(SAID) for each in widget.ancestors_with_self)


def _may_be_alone(widget: Widget) -> bool:
    if any(widget.has_class(name) for name in NOTES):
        return True
    return not any(isinstance(each, Transcript) for each in widget.ancestors)


def text_of(selections: Selections) -> str:
    """Return the text that is selected, parted as it is on the screen."""
    text, before = "", None
    for widget, said in _begun_with_text(selections, dict(_said(selections))).items():
        part = _bullet(widget, said) if isinstance(widget, MarkdownBullet) else said
        text += part if before is None else _between(before, widget) + _indented(part, widget)
        before = widget
    return text.rstrip("\n")


def _said(selections: Selections) -> Iterator[tuple[Widget, str]]:
    """Yield what is selected of each widget."""
    for widget, selection in selections.items():
        found = widget.get_selection(selection) if widget.is_attached else None
        if found is not None and found[0].strip():
            yield widget, _as_written(widget, found[0])


def _as_written(widget: Widget, said: str) -> str:
    """Return a text with the brackets that a task began with, in the place of the box."""
    brackets = widget.source[:BRACKETS] if isinstance(widget, Paragraph) else ""
    box = BOXES.get(f"{brackets.lower()} ", "")
    return brackets + said[1:] if box and said[0] == box[0] else said


def _begun_with_text(selections: Selections, said: Mapping[Widget, str]) -> dict[Widget, str]:
    """Leave out bullets that a drag began beside, below their row: each is as tall as its item."""
    bullets = set(takewhile(lambda each: isinstance(each, MarkdownBullet), said))
    row = next((each.region.y for each in said if each not in bullets), 0)
    beside = {each for each in bullets if each.region.y < row and selections[each].start is None}
    return {each: text for each, text in said.items() if each not in beside}


def _indented(part: str, widget: Widget) -> str:
    """Return a text in a list with its other lines as far in as the first one."""
    return LATER_LINE.sub("\n" + INDENT * _depth(widget), part)


def _bullet(widget: MarkdownBullet, symbol: str) -> str:
    number = symbol.strip()
    return number if number[:1].isalnum() else "-"


def _between(before: Widget, widget: Widget) -> str:
    """Return what parts two texts that follow each other."""
    if isinstance(before, MarkdownBullet):
        return " "
    table = widget.parent
    if isinstance(table, MarkdownTableContent) and before.parent is table:
        return CELLS if _row(before, table) == _row(widget, table) else "\n"
    if (
        widget.parent is not None
        and widget.parent.has_class(BODY)
        and before.parent is widget.parent
    ):
        return "\n"
    goes_on = _goes_on(before, widget)
    depth = _depth(widget)
    if depth and _depth(before):
        is_bullet = isinstance(widget, MarkdownBullet)
        return "\n" + INDENT * (depth - is_bullet)
    if goes_on:
        return "\n" if isinstance(widget, Code) else " "
    return "\n\n"


def _row(cell: Widget, table: MarkdownTableContent) -> int:
    return list(table.children).index(cell) // max(1, len(table.headers))


def _depth(widget: Widget) -> int:
    """Return in how many lists it stands."""
    return sum(isinstance(each, MarkdownList) for each in widget.ancestors)


def _goes_on(before: Widget, widget: Widget) -> bool:
    """Whether a block of the slice before goes on with this text."""
    part = _slice(widget)
    return part is not None and part is not _slice(before) and part.has_class("-goes-on")


def _slice(widget: DOMNode) -> AnswerSlice | None:
    return next((each for each in widget.ancestors if isinstance(each, AnswerSlice)), None)


def word_at(widget: Widget, at: Offset) -> Selection | None:
    """Return the word of a text that a character belongs to, None where there is none."""
    found = word_in(_line(widget, at.y), at.x)
    return None if found is None else Selection(Offset(found[0], at.y), Offset(found[1], at.y))


def line_at(widget: Widget, at: Offset) -> Selection | None:
    """Return the line of a text that a character belongs to; a paragraph is one, however it is
    folded.
    """
    line = _line(widget, at.y)
    return Selection(Offset(0, at.y), Offset(len(line), at.y)) if line.strip() else None


def _line(widget: Widget, y: int) -> str:
    found = widget.get_selection(SELECT_ALL)
    lines = found[0].splitlines() if found is not None else []
    return lines[y] if y < len(lines) else ""
