"""The text of a PDF, page by page, read in a process of its own (`app.pdf_process`).

A PDF may be made to loop or to eat memory, and a thread cannot be ended: a process can, after
DEADLINE_S. It blocks for as long, so call it in a thread. It knows no files, bytes alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from app.sizes import size

READER = (sys.executable, "-P", "-m", "app.pdf_process")
"""-P: a folder named app where the person happens to be is not ours."""

LIMIT_BYTES = 50_000_000
"""Largest file: what is larger is pictures above all."""

DEADLINE_S = 30.0
MAGIC = b"%PDF-"
_MARK = re.compile(r"^\[page (\d+)\]$", re.MULTILINE)

ENCRYPTED = "is encrypted: save a copy without a password (print it to a PDF) and attach that."
NO_TEXT = "holds no text, only pictures of pages: run text recognition (OCR) over it first."
BROKEN = "is no PDF that can be read: it is damaged, or something else."
HEAVY = "needs too much memory to be read: attach a part of it."
SLOW = f"could not be read in {DEADLINE_S:.0f} seconds: attach a part of it."
LONG = "holds too much text: {n} of its {of} pages are over {limit}. Attach a part of it."
_WORDS = {"encrypted": ENCRYPTED, "no text": NO_TEXT, "broken": BROKEN, "heavy": HEAVY}


class UnreadableError(Exception):
    """The text is not to be had; `str` says why, to stand behind the file's name."""


def text_of(content: bytes, limit_bytes: int) -> str:
    """Return the text, each page below a line `[page N]`.

    Raises UnreadableError, also for more text than the limit.
    """
    command = (*READER, str(limit_bytes))
    try:
        done = subprocess.run(
            command,
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what the parser warns of is not for the terminal
            timeout=DEADLINE_S,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(SLOW) from None
    try:
        told = json.loads(done.stdout)
    except ValueError:  # it died before it could say anything
        raise UnreadableError(BROKEN) from None
    match told:
        case {"pages": pages}:
            return "\n\n".join(
                f"[page {number}]\n{text}".rstrip() for number, text in enumerate(pages, 1)
            )
        case {"refused": "long", "n": n, "of": of}:
            raise UnreadableError(LONG.format(n=n, of=of, limit=size(limit_bytes)))
        case {"refused": reason}:
            raise UnreadableError(_WORDS[reason])
    raise AssertionError("the process says one of these")


def n_pages(text: str) -> int:
    """Return how many pages a text is of."""
    return max((int(number) for number in _MARK.findall(text)), default=0)
