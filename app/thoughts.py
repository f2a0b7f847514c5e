"""Tells what a model thought from what it answered, by the tags that its family writes.

`split` and `Splitter` agree: whatever the chunks, the parts are those of the whole text. A part is
a piece of the text as it came, `text == whole[start : start + len(text)]`, without the tags and the
white space around them; blank parts are left out. So what is held per character, such as who
proposed it, can be cut by the same offsets.

A tag opens where a line begins. It closes anywhere, and where none was opened, nor named in a
sentence, what came before was the thinking: some answers were kept without the tag that the
template wrote. Inside code no tag counts, but for one: a closing tag of an open span at the
beginning of a line, for models break off their code when they have thought enough. Knows no model
and no screen; the tags are the engine's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine import TAGS

Kind: TypeAlias = Literal["thinking", "answer"]

OPENING = frozenset(word for tag in TAGS for word in tag.opening)
MARKERS = sorted((word for tag in TAGS for word in (*tag.opening, *tag.closing)), key=len)
FIRST = re.compile("[" + re.escape("".join({word[0] for word in MARKERS})) + "]")
FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})([^`]*)")
GAP = re.compile(r"(?:[ \t\r]*\n)+|[ \t]+")
"""What stands between a tag and its text; the text's own indentation is not of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """closed: whether its end is known. A thinking part that stays open was cut short."""

    kind: Kind
    text: str
    closed: bool
    start: int


@dataclass(slots=True)
class _Raw:
    """A part while it grows, untrimmed. start: where it begins in the whole text."""

    kind: Kind
    start: int
    closed: bool = False
    pieces: list[str] = field(default_factory=list)

    def part(self) -> Part | None:
        """Return it trimmed, None if it is blank; an answer that comes first keeps all."""
        text = "".join(self.pieces)
        if not text.strip():
            return None
        if self.kind == "answer" and self.start == 0:
            return Part(self.kind, text, self.closed, 0)
        found = GAP.match(text)
        gap = found.end() if found else 0
        shown = text[gap:].rstrip() if self.kind == "thinking" else text[gap:]
        return Part(self.kind, shown, self.closed, self.start + gap)


class Splitter:
    """Splits a text that arrives in pieces."""

    def __init__(self) -> None:
        self._raw = [_Raw("answer", 0)]
        self._held = ""
        self._taken = 0
        self._line = ""
        self._fence = ""
        self._is_named = False  # an opening tag, in a sentence

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts so far, without what may become a tag."""
        return tuple(part for raw in self._raw if (part := raw.part()) is not None)

    @property
    def is_thinking(self) -> bool:
        """Whether what comes next is thinking, as far as one can know."""
        return self._raw[-1].kind == "thinking"

    def feed(self, text: str) -> None:
        """Take in more text."""
        self._held += text
        self._advance(is_whole=False)

    def finish(self) -> None:
        """End the text: what was held back is text."""
        self._advance(is_whole=True)
        last = self._raw[-1]
        last.closed = last.closed or last.kind == "answer"

    def _advance(self, is_whole: bool) -> None:
        text, at = self._held, 0
        while at < len(text):
            found = FIRST.search(text, at)
            end = found.start() if found else len(text)
            self._take(text[at:end])
            at = end
            if not is_whole and _may_become_marker(text, at):
                break
            marker = next((m for m in reversed(MARKERS) if text.startswith(m, at)), "")
            if marker and self._counts(marker):
                self._turn(marker)
                at += len(marker)
            else:
                self._is_named |= marker in OPENING and not self._is_in_code
                self._take(text[at : at + 1])
                at += 1
        self._held = text[at:]

    def _take(self, text: str) -> None:
        """Add text to the part that grows."""
        self._taken += len(text)
        self._raw[-1].pieces.append(text)
        *whole, rest = text.split("\n")
        for line in whole:
            self._end_line(self._line + line)
            self._line = ""
        self._line += rest

    def _end_line(self, line: str) -> None:
        """Open or close a code fence, if the line does."""
        found = FENCE.fullmatch(line)
        if found is None:
            return
        if not self._fence:
            self._fence = found[1]
        elif found[1].startswith(self._fence) and not found[2].strip():
            self._fence = ""

    @property
    def _is_in_code(self) -> bool:
        return bool(self._fence) or self._line.count("`") % 2 == 1

    def _counts(self, marker: str) -> bool:
        """Whether a tag that stands here is one."""
        begins_line = not self._line.strip()
        in_code = self._is_in_code
        if marker in OPENING:
            is_new = not self.is_thinking or self._raw[-1].part() is None
            return is_new and begins_line and not in_code
        if self.is_thinking:
            return begins_line or not in_code
        return len(self._raw) == 1 and not in_code and not self._is_named

    def _turn(self, marker: str) -> None:
        """Go on with a part of the other kind."""
        last = self._raw[-1]
        last.closed = True
        if marker in OPENING:
            kind: Kind = "thinking"
        else:
            last.kind, kind = "thinking", "answer"
        self._taken += len(marker)
        self._raw.append(_Raw(kind, self._taken))
        self._line = self._fence = ""


def _may_become_marker(text: str, at: int) -> bool:
    """Whether what stands there is the beginning of a longer tag."""
    rest = text[at : at + len(MARKERS[-1])]
    return any(len(m) > len(rest) and m.startswith(rest) for m in MARKERS)


def split(text: str) -> list[Part]:
    """Split a whole text."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return list(splitter.parts)


def without_thinking(text: str) -> str:
    """Return what the next prompt should hold of an answer: "" if it was cut while thinking."""
    return "".join(part.text for part in split(text) if part.kind == "answer")
