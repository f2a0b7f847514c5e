"""The tags that families of models write around their thinking, as text and as control tokens.

A family is an entry of TAGS. Where a vocabulary spells a family's tags with control tokens, these
are text to whoever reads an answer, and no others are. Knows no model and no screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tag:
    """What a family writes around its thinking; of two spellings of which one begins the other,
    the longer wins.
    """

    opening: tuple[str, ...]
    closing: tuple[str, ...]


TAGS = (
    Tag(("<think>",), ("</think>",)),
    Tag(("<thinking>",), ("</thinking>",)),
    Tag(("[THINK]",), ("[/THINK]",)),
    Tag(("<seed:think>",), ("</seed:think>",)),
    Tag(  # gpt-oss: channels
        (
            "<|channel|>analysis<|message|>",
            "<|start|>assistant<|channel|>analysis<|message|>",
        ),
        (
            "<|end|>",
            "<|channel|>final<|message|>",
            "<|start|>assistant<|channel|>final<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
    ),
)


class Tokenize(Protocol):
    """Splits text into tokens; special: text such as "<|end|>" becomes control tokens."""

    def __call__(self, text: str, *, special: bool) -> list[int]: ...


def any_of(words: tuple[str, ...]) -> str:
    """Return the pattern of any of these, the longest that stands there."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


OPENING = any_of(tuple(word for tag in TAGS for word in tag.opening))
CLOSING = any_of(tuple(word for tag in TAGS for word in tag.closing))
OPEN = re.compile(rf"(?:{OPENING})\s*\Z")
CLOSED = re.compile(rf"(?:{CLOSING})\s*\Z")
THOUGHT = re.compile(rf"\s*(?:{OPENING})")

MARK = re.compile(r"<\|[^<>\s]*>|<[^<>\s]*\|>")
"""What channels, whole messages and calls of tools are marked with: `<|…|>`, `<|…>`, `<…|>`."""


def opened(prompt: str) -> str:
    """Return the opening tag that a prompt ends with, and the white space behind it; else ""."""
    found = OPEN.search(prompt)
    return found[0] if found else ""


def suits(prompt: str, begun: str) -> bool:
    """Whether an answer that begins so can follow this prompt. One that begins with a thought
    cannot where the prompt has closed one, one without cannot where the prompt leaves one open.
    """
    other = CLOSED if THOUGHT.match(begun) else OPEN
    return other.search(prompt) is None


def apart(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of the places, one inside each of these words, to cut a text at."""
    return re.compile("|".join(f"(?<={re.escape(w[0])})(?={re.escape(w[1:])})" for w in words))


def controlled(tokenize: Tokenize) -> tuple[str, ...]:
    """Return the tags that a vocabulary spells with control tokens."""

    def is_control(word: str) -> bool:
        return tokenize(word, special=True) != tokenize(word, special=False)

    families = [tag for tag in TAGS if any(map(is_control, tag.opening))]
    return tuple(word for tag in families for word in (*tag.opening, *tag.closing))
