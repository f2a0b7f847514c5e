"""Files that were dropped on the terminal, which then pastes their paths: as they are, in quotes,
with backslashes, or as file:// addresses.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.files.attachable import ending
from app.files.mentions import as_mention, is_writable
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


def _file(word: str) -> str:
    """Return the path of a picture or a PDF that is there, "" if it is none."""
    if word.startswith("file://"):
        word = _named(word)
    if ending(word) not in DROPPED or not is_writable(word):
        return ""
    path = Path(os.path.expanduser(word))
    try:
        return word if path.is_absolute() and path.is_file() else ""
    except (OSError, ValueError):
        return ""
