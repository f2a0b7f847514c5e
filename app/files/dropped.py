"""Files that were dropped on the terminal, which then pastes their paths: as they are, in quotes,
with backslashes, or as file:// addresses.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.files.attachable import ending, why_not
from app.files.mentions import TEXT_ENDINGS, as_mention, is_writable
from app.files.pictures import ENDINGS

DROPPED = ENDINGS | {"pdf"}
LONGEST = 20_000
"""Characters that are looked at: more are no paths."""


def dropped(text: str) -> str:
    """Return mentions of the pictures and PDFs whose paths were pasted, "" if that is anything
    else: the path of a text may be meant as it is.
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        return ""
    found = [_file(word) for word in ([text] if _file(text) else _words(text))]
    return " ".join(map(as_mention, found)) + " " if found and all(found) else ""


def text_file(pasted: str) -> str:
    """Return the path that a paste is, "" unless it is that of one text file that can go with a
    question, and nothing else.
    """
    text = pasted.strip()
    if not text or len(text) > LONGEST:
        return ""
    words = [text] if _file(text, TEXT_ENDINGS) else _words(text)
    path = _file(words[0], TEXT_ENDINGS) if len(words) == 1 else ""
    try:
        too_much = why_not(path, os.path.getsize(os.path.expanduser(path))) if path else ""
    except OSError:  # it is gone again
        return ""
    return "" if too_much else path


def path_in(text: str) -> str:
    """Return the path that was typed, or that a terminal pasted for a dropped file."""
    text = text.strip()
    if text.startswith("file://"):
        return _named(text) or text
    is_there = is_writable(text) and os.path.lexists(os.path.expanduser(text))
    words = [] if is_there else _words(text)
    return words[0] if len(words) == 1 else text


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # quotes that are not closed
        return []


def _named(address: str) -> str:
    """Return the path that a file:// address names, "" if it is none."""
    try:
        return unquote(urlsplit(address).path)
    except ValueError:  # file://[PATH], as texts write it
        return ""


def _file(word: str, endings: Collection[str] = DROPPED) -> str:
    """Return the path of a file that is there, "" for none, and for one that ends otherwise."""
    if word.startswith("file://"):
        word = _named(word)
    if ending(word) not in endings or not is_writable(word):
        return ""
    path = Path(os.path.expanduser(word))
    try:
        return word if path.is_absolute() and path.is_file() else ""
    except (OSError, ValueError):
        return ""
