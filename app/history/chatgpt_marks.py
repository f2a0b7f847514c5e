"""The marks in ChatGPT's answers: where it found something, and what the names in a text are.

A mark is U+E200, its kind, U+E202, what it is about, U+E201. What is read in its place is told by
the metadata of the message, in `content_references`; an entity tells its own name. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from app.history.figures import UNREADABLE

_BEGIN, _BETWEEN, _END = "\ue200", "\ue202", "\ue201"
_MARK = re.compile(f"{_BEGIN}[^{_BEGIN}{_END}]*{_END}")
_MARKS = re.compile(rf"(?:{_MARK.pattern})+|{_BEGIN}[^{_BEGIN}{_END}\n]*\Z")
"""Those that stand together, or one that the end of a stopped answer cut."""
_CLOSING = frozenset(" \t\n.,;:!?)]")


def read_as(metadata: Mapping[str, object]) -> dict[str, str]:
    """Return what is read in the place of marks."""
    references = metadata.get("content_references")
    told = references if isinstance(references, list) else []
    pairs = [(it.get("matched_text"), it.get("alt")) for it in told if isinstance(it, dict)]
    return {
        mark: alt for mark, alt in pairs if isinstance(mark, str) and isinstance(alt, str) and alt
    }


def n_added(text: str, alts: Mapping[str, str]) -> int:
    """Return how many characters are read in the place of a text's marks."""
    return sum(len(alts.get(mark, "")) for mark in _MARK.findall(text)) if alts else 0


def unmarked(text: str, alts: Mapping[str, str]) -> str:
    """Return a text as it is read; a mark that says nothing goes with the space before it."""
    pieces, at = [], 0
    for found in _MARKS.finditer(text):
        before, at = text[at : found.start()], found.end()
        said = "".join(alts.get(mark) or _name(mark) for mark in _MARK.findall(found[0]))
        is_closed = at == len(text) or text[at] in _CLOSING
        pieces += [before.rstrip(" \t") if is_closed and not said else before, said]
    return "".join([*pieces, text[at:]])


def _name(mark: str) -> str:
    """Return the name that an entity has, "" for any other mark."""
    kind, _, about = mark[1:-1].partition(_BETWEEN)
    try:
        told = msgspec.json.decode(about) if kind == "entity" else None
    except UNREADABLE:
        return ""
    names = told[1:2] if isinstance(told, list) else []
    return "".join(name for name in names if isinstance(name, str))
