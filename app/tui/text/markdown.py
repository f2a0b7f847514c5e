"""How the Markdown of answers is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.terminal.sanitise import sanitise
from app.tui.text.formulas import read_formulas
from app.tui.text.table_pipes import with_cells_whole

BOXES = {"[ ] ": "☐ ", "[x] ": "☑ "}
FIRST_NUMBER = "first number"
"""In what the parser is told: with which number a list that a text begins with goes on."""
NESTING = 40
"""Two for each level of a list; what is nested deeper is not shown."""
NAMES_LINK = re.compile(r"\[(?!\^)[^\]\n]+\]:\s+<?(?:https?://|ftp://|mailto:|www\.|[/.#])", re.I)
NOTE = re.compile(r"\[[^\]\n]+\]:\s")
DUNDER = re.compile(r"(?<!\w)__[a-z][a-z0-9_]*__(?!\w)")
BREAKS = ("softbreak", "hardbreak")
ADDRESSES = {"href", "src"}
"""Encoded once more: Textual decodes what is clicked, and another address would be copied."""


@cache
def parser() -> MarkdownIt:
    """Return the parser of all answers: Markdown as GitHub writes it, HTML shown as text."""
    made = MarkdownIt("gfm-like", {"html": False, "maxNesting": NESTING})
    made.block.ruler.at("reference", _learn_links)
    made.inline.ruler.before("emphasis", "dunder", _keep_dunder)
    read_formulas(made)
    made.core.ruler.after("normalize", "pipes", _keep_cells_whole)
    made.core.ruler.push("notes", _break_before_notes)
    made.core.ruler.push("tasks", _tick_tasks)
    made.core.ruler.push("decoded", _clean_decoded)
    made.core.ruler.push("numbers", _number_items)
    return made


def _learn_links(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Learn what named links refer to, and have it shown as any text: nothing that was written may
    be missing, and a line such as `[Note]: important` names no link. A line that is not over may
    yet become one.
    """
    line, seen = start, state.lineMax
    n_over = len(state.bMarks) - 1 - (not state.src.endswith("\n"))
    end = state.lineMax = min(seen, n_over)
    while line < end and NAMES_LINK.match(state.src, state.bMarks[line] + state.tShift[line]):
        if silent or not reference(state, line, end, silent):
            break
        line = state.line
    state.line, state.lineMax = start, seen
    return False


def _keep_dunder(state: StateInline, silent: bool) -> bool:
    """Have a name of Python's such as `__init__` be one in prose, too: models embolden by stars."""
    found = DUNDER.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


def _keep_cells_whole(state: StateCore) -> None:
    """Have code and formulas with pipes in them stay in their cell of a table."""
    state.src = with_cells_whole(state.src)


def _break_before_notes(state: StateCore) -> None:
    """Begin a line with each note, such as `[1]: http://a.b` or `[^1]: word`."""
    for token in state.tokens:
        _, *lines = token.content.split("\n") if token.type == "inline" else [""]
        breaks = [child for child in token.children or () if child.type in BREAKS]
        if len(breaks) == len(lines):  # within code none is one
            for child, line in zip(breaks, lines, strict=True):
                if NOTE.match(line):
                    child.type = "hardbreak"


def next_number(tokens: Sequence[Token]) -> int | None:
    """Return the number that one more item of the list at the end would have, None without one."""
    tops = [token for token in tokens if token.level == 0 and token.map]
    if not tops or tops[-1].type != "ordered_list_open":
        return None
    items = [token for token in tokens if token.type == "list_item_open" and token.level == 1]
    return int(items[-1].info) + 1


def _number_items(state: StateCore) -> None:
    """Number the items of a list in turn, whatever their own numbers are."""
    first: int | None = state.env.get(FIRST_NUMBER)
    numbers: list[int | None] = []
    for token in state.tokens:
        if token.type == "ordered_list_open":
            numbers.append(first if token.level == 0 and token.map and not token.map[0] else None)
        elif token.type == "ordered_list_close":
            numbers.pop()
        elif token.type == "list_item_open" and token.info:
            number = numbers[-1]
            number = int(token.info) if number is None else number
            token.info, numbers[-1] = str(number), number + 1


def _tick_tasks(state: StateCore) -> None:
    """Put a box in the place of the brackets that an item of a task list begins with."""
    for item, text in zip(state.tokens, state.tokens[2:], strict=False):
        if item.type != "list_item_open" or not text.children:
            continue
        first = text.children[0]
        box = BOXES.get(first.content[:4].lower())
        first.content = first.content if box is None else box + first.content[4:]


def _clean_decoded(state: StateCore) -> None:
    """Sanitise once more what the parser has decoded: an entity, or an address that is shown, may
    stand for what the terminal must not get.
    """
    for token in state.tokens:
        _clean(token.children or ())


def _clean(tokens: Iterable[Token]) -> None:
    for token in tokens:
        token.content = sanitise(token.content)
        for name in ADDRESSES & token.attrs.keys():
            token.attrs[name] = str(token.attrs[name]).replace("%", "%25")
        _clean(token.children or ())
