"""How the Markdown of answers is read."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

BOXES = {"[ ] ": "☐ ", "[x] ": "☑ "}


@cache
def parser() -> MarkdownIt:
    """Return the parser of all answers: Markdown as GitHub writes it, HTML shown as text."""
    made = MarkdownIt("gfm-like", {"html": False})
    made.core.ruler.push("tasks", _tick_tasks)
    return made


def _tick_tasks(state: StateCore) -> None:
    """Put a box in the place of the brackets that an item of a task list begins with."""
    for item, text in zip(state.tokens, state.tokens[2:], strict=False):
        if item.type != "list_item_open" or not text.children:
            continue
        first = text.children[0]
        box = BOXES.get(first.content[:4].lower())
        first.content = first.content if box is None else box + first.content[4:]
