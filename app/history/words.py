"""Text to words and back to places in the text: what the search index sees of a text.

The index (schema.py) cuts at all but letters and digits, folds case and drops diacritics. Two
things it cannot do are done by `indexed` beforehand: scripts that put no spaces between words are
cut into single characters, whose phrases then find any part of a sentence; and a pictograph
becomes a word. The index must forget a text by the same words that it learnt: whoever changes
`indexed` must rebuild the index in a migration. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice, product

_ACCENT = "\N{COMBINING ACUTE ACCENT}"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul, whose particles cling to the word
)
_PICTURES = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_APART = re.compile(f"[{_UNSPACED}{_PICTURES}]")
_PICTURE = re.compile(f"[{_PICTURES}]")
_JOINED = rf"[^\W_{_UNSPACED}{_PICTURES}]"
"""What is of the same word as the letter beside it."""
_MARKS = dict(zip("еαεηιουω", "ёάέήίόύώ", strict=True))
"""Letters of other scripts than Latin with the mark that is often left out, one in a word."""
_MARKED_AS = {marked: plain for plain, marked in _MARKS.items()}
_SHARP_S = re.compile("ss|ß")
MOST_SPELLINGS = 64
_LETTERS = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def indexed(text: str) -> str:
    """Return the text as the index is told it."""
    return text if text.isascii() else _APART.sub(_alone, text)


def fold(text: str) -> str:
    """Fold case and drop diacritics; every character keeps its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def tokens(word: str) -> list[str]:
    """Return the folded words that a written word consists of: "Path.join" → path, join."""
    return _LETTERS.findall(fold(indexed(word)).replace(_ACCENT, ""))


def spellings(written: str) -> list[str]:
    """Return the ways to write one or more words that people take for the same and the index does
    not, lowered: Russian "еще" for "ещё", Greek without its accent, "strasse" for "Straße".
    """
    lowered = unicodedata.normalize("NFC", written.lower())
    ways = islice(product(*map(_ways, lowered.split())), MOST_SPELLINGS)
    return list(dict.fromkeys([lowered, fold(written), *map(" ".join, ways)]))


def _ways(word: str) -> Iterator[str]:
    """Yield the ways to write a lowered word: with no mark, with one at each place that may have
    it, and "ss" and "ß" for each other.
    """
    plain = "".join(_MARKED_AS.get(letter, letter) for letter in word)
    for way in dict.fromkeys((plain, plain.replace("ß", "ss"), plain.replace("ss", "ß"))):
        yield way
        for place, letter in enumerate(way):
            if letter in _MARKS:
                yield way[:place] + _MARKS[letter] + way[place + 1 :]


def pattern_of(word: str, is_beginning: bool) -> str:
    """Return a pattern that finds a written word in a folded text."""
    parts = [_spelling(token) for token in _written(word)]
    if not parts:
        return ""
    before = "" if _APART.match(word) else f"(?<!{_JOINED})"
    after = "" if is_beginning or _APART.match(word[-1]) else f"(?!{_JOINED})"
    return before + r"[\W_]{0,9}?".join(parts) + after


def literal_of(word: str) -> str:
    """Return a pattern that finds a written word anywhere in a folded text."""
    return _spelling(fold(word).replace(_ACCENT, ""))


def _written(word: str) -> list[str]:
    """Return the tokens of a word, pictographs as they are."""
    folded = fold(word).replace(_ACCENT, "")
    return re.findall(f"{_PICTURE.pattern}|{_LETTERS.pattern}", folded)


def _spelling(token: str) -> str:
    """Return a pattern for a token with any accents that stand apart, and ss for ß or ß for ss."""
    return f"(?:{_accented('ss')}|ß)".join(map(_accented, _SHARP_S.split(token)))


def _accented(letters: str) -> str:
    return "".join(re.escape(letter) + f"{_ACCENT}*+" for letter in letters)


def _alone(found: re.Match[str]) -> str:
    character = found[0]
    return f" {ord(character):x}pic " if _PICTURE.match(character) else f" {character} "


class _Folded(dict[int, str]):
    """The folded character of each code point, found when first asked for."""

    def __missing__(self, code: int) -> str:
        base, *rest = list(unicodedata.normalize("NFD", chr(code)))
        if unicodedata.combining(base):
            folded = _ACCENT
        elif all(map(unicodedata.combining, rest)):
            cases = (base.casefold(), base.lower(), base)  # the sigma that ends a word is another
            folded = next(case for case in cases if len(case) == 1)
        else:
            folded = chr(code)
        self[code] = folded
        return folded


_FOLDED = _Folded()
