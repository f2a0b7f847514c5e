"""First sentences and signatures: what a docstring says about one object, in one line.

Contract: pure functions from text or an object to text; the words of a docstring are never altered,
only cut and their white space collapsed. It does not know which objects are worth keeping.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

LONGEST_SIGNATURE = 60
SENTENCE_LENGTHS = range(12, 201)

_SIGNATURE = re.compile(
    r"^[A-Za-z_][\w.]*\([^)]*\)?.*(->|=>|--|:\s*$)|^[A-Za-z_][\w.]*\(.*\)\.?\s*$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[A-Z0-9\"'`(<*\[]|[a-z_.]+\()")
_TOLD_BEHIND = re.compile(r"^\S+\(.*?\) --?> (?:[^.]+\.\s+)?([A-Z].+)$")
_ABBREVIATION = re.compile(r"(\b(e\.g|i\.e|etc|vs|cf|Dr|Mr|No|approx)|\b[A-Z])\.$")


def paragraphs(doc: str) -> list[str]:
    """Split a docstring at its blank lines, without the signature lines that open it."""
    lines = inspect.cleandoc(doc).splitlines()
    signed = False
    while lines and (not lines[0].strip() or _SIGNATURE.match(lines[0])):
        signed = bool(lines.pop(0).strip())
    if signed and lines and lines[0].startswith((" ", "(")):
        return []
    blocks = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return [" ".join(block.split()) for block in blocks if block.strip()]


def sentence_of(paragraph: str) -> str:
    """Return the paragraph up to its first sentence end; a full stop is added where none stands."""
    start = 0
    while found := _SENTENCE_END.search(paragraph, start):
        head = paragraph[: found.end()].rstrip()
        if not _ABBREVIATION.search(head):
            return head
        start = found.end()
    return paragraph if paragraph.endswith((".", "!", "?", ".)")) else paragraph + "."


def first_sentence(doc: str | None) -> str | None:
    """Return a docstring's first sentence, or None where it holds none worth quoting."""
    blocks = paragraphs(doc or "")
    if not blocks:
        return _lone_signature(doc or "")
    sentence = sentence_of(blocks[0])
    if ">>>" in sentence:
        return _lone_signature(doc or "")
    unfit = sentence.endswith((":.", "::", ",.")) or "----" in sentence
    if unfit or len(sentence) not in SENTENCE_LENGTHS or not sentence.isascii():
        return None
    return sentence if sentence[0].isalpha() or sentence[0] in "`'\"*(" else None


def _lone_signature(doc: str) -> str | None:
    """Return what follows, or is, a first line such as `dict() -> new empty dictionary`."""
    line = doc.strip().partition("\n")[0].strip()
    told = _TOLD_BEHIND.match(line)
    text = told.group(1) if told else line
    return text if "->" in line and len(text) in SENTENCE_LENGTHS and text.isascii() else None


def signature(name: str, thing: Any, *, bound: bool) -> str | None:
    """Return `name(parameters)` without annotations, or None where it is unknown or too long.

    bound: leave out the first parameter, which a method call does not show.
    """
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (ValueError, TypeError, AttributeError):  # of some, inspect itself fails on defaults
        return _documented_signature(name, thing)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters[int(bound) :]]
    try:
        text = name + str(inspect.Signature(bare))
    except ValueError:
        return None
    text = text.replace("(/, ", "(").replace("(/)", "()")
    return _plain(text)


def _documented_signature(name: str, thing: Any) -> str | None:
    """Read a signature from the docstring's first line, as `range(start, stop[, step])`."""
    line = (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0]
    found = re.match(r"^[\w.]+(\([^()]*\))", line)
    return _plain(name + found.group(1)) if found else None


def _plain(text: str) -> str | None:
    """Return the text unless it is too long or shows an object's representation."""
    shown = "<" in text or "0x" in text or "/" in text.replace(", /", "").replace("'/'", "")
    return None if shown or len(text) > LONGEST_SIGNATURE or not text.isascii() else text
