"""How the Markdown of answers is read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from app.terminal.sanitise import sanitise

BOXES = {"[ ] ": "☐ ", "[x] ": "☑ "}
ADDRESSES = {"href", "src"}
"""Encoded once more: Textual decodes what is clicked, and another address would be copied."""


@cache
def parser() -> MarkdownIt:
    """Return the parser of all answers: Markdown as GitHub writes it, HTML shown as text."""
    made = MarkdownIt("gfm-like", {"html": False})
    made.core.ruler.push("tasks", _tick_tasks)
    made.core.ruler.push("decoded", _clean_decoded)
    return made


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
