"""What a person typed into the search field, as a question to the index. Pure.

Words are all wanted; "words in quotes" stand together; the last word may be unfinished. Nothing
that is typed is an operator, so no input is an error. The index knows letters and digits alone: of
"C++" it is asked for "c", and which texts hold the signs, too, is asked besides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from app.history.words import indexed, literal_of, pattern_of, spellings, tokens

LONGEST = 400
MOST_WORDS = 16
SHORTEST_BEGINNING = 2
"""A single letter is a word, not the beginning of one: half of all words would match."""

_PARTS = re.compile(r'"([^"]*)"?|([^\s"]+)')
_WILD = re.compile(r"[%_\\]")
_NOT_ASCII = re.compile(r"[^\W\x00-\x7f]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Query:
    """A search. words: as typed; is_open: whether the last of them may be unfinished."""

    words: tuple[str, ...]
    is_open: bool

    def match(self) -> str:
        """Return the question in the language of FTS5; "" if no word has a letter or digit.

        The index drops the diacritics of Latin letters alone: of others several ways are asked for.
        """
        asked = []
        for place, word in enumerate(self.words):
            if tokens(word):
                end = "*" * self._is_beginning(place)
                ways = dict.fromkeys(map(indexed, spellings(word)))
                asked.append(" OR ".join(f'"{way}"{end}' for way in ways))
        return " AND ".join(f"({ways})" for ways in asked)

    def pattern(self) -> re.Pattern[str]:
        """Return what to mark in a folded text that the index found."""
        return _any_of(self._pattern(place) for place in range(len(self.words)))

    def exact(self) -> re.Pattern[str]:
        """Return what to mark in a folded text that the index found and that holds the signs."""
        return _any_of(
            literal_of(word) if _has_signs(word) else self._pattern(place)
            for place, word in enumerate(self.words)
        )

    def literal(self) -> re.Pattern[str]:
        """Return what to mark in a folded text that holds the words anywhere."""
        return _any_of(map(literal_of, self.words))

    def likes(self) -> list[list[str]]:
        """Return LIKE patterns, escaped by a backslash, for each word: any of them will do. LIKE
        folds the case of ASCII alone.
        """
        cases = (
            dict.fromkeys((it,) if it.isascii() else (it, it.lower(), it.upper()))
            for it in self.words
        )
        return [[_like(case) for case in each] for each in cases]

    def signed(self) -> tuple[str, ...]:
        """Return a LIKE pattern for each word with signs. Any letter is one that LIKE cannot fold:
        the index knows which it is.
        """
        return tuple(_NOT_ASCII.sub("_", _like(word)) for word in self.words if _has_signs(word))

    def _pattern(self, place: int) -> str:
        return pattern_of(self.words[place], self._is_beginning(place))

    def _is_beginning(self, place: int) -> bool:
        """Say whether a word may go on: its last letters are being typed."""
        word = self.words[place]
        is_last = self.is_open and place == len(self.words) - 1 and word[-1].isalnum()
        return is_last and len("".join(tokens(word)[-1:])) >= SHORTEST_BEGINNING


def parse(typed: str) -> Query:
    """Make a query of what was typed."""
    typed = _CONTROLS.sub(" ", typed[:LONGEST])
    found = [(quoted.strip() or word, bool(quoted)) for quoted, word in _PARTS.findall(typed)]
    found = [(word, is_quoted) for word, is_quoted in found if word][:MOST_WORDS]
    is_open = bool(found) and not found[-1][1] and not typed[-1:].isspace()
    return Query(tuple(word for word, _ in found), is_open)


def _like(word: str) -> str:
    return "%" + _WILD.sub(r"\\\g<0>", word) + "%"


def _has_signs(word: str) -> bool:
    """Whether it holds what the index does not know."""
    return any(unicodedata.category(it)[0] in "PS" and not tokens(it) for it in word)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of these, the longest first; of none, what matches nothing."""
    wanted = sorted(filter(None, patterns), key=len, reverse=True)
    return re.compile("|".join(wanted) or r"(?!)")
