"""The text of a PDF, page by page, read in a process of its own (`app.files.pdf_process`).

A PDF may be made to loop or to eat memory, and a thread cannot be ended: a process can, after
DEADLINE_S, or when somebody wishes. It blocks for as long, so call it in a thread. It knows no
files, bytes alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Sequence

from app.sizes import size

READER = (sys.executable, "-P", "-m", "app.files.pdf_process")
"""-P: a folder named app where the person happens to be is not ours."""

LIMIT_BYTES = 50_000_000
"""Largest file: what is larger is pictures above all."""

DEADLINE_S = 30.0
MAGIC = b"%PDF-"
_MARK = re.compile(r"^\[page ([1-9]\d{0,6})\]$", re.MULTILINE | re.ASCII)

ENCRYPTED = "is encrypted: save a copy without a password (print it to a PDF) and attach that."
NO_TEXT = "holds no text, only pictures of pages: run text recognition (OCR) over it first."
BROKEN = "is no PDF that can be read: it is damaged, or something else."
HEAVY = "needs too much memory to be read: attach a part of it."
SLOW = f"could not be read in {DEADLINE_S:.0f} seconds: attach a part of it."
STOPPED = "was not read to its end: that was stopped. Send it again to have it read."
LONG = "holds too much text: {n} of its {of} pages are over {limit}. Attach a part of it."
_WORDS = {"encrypted": ENCRYPTED, "no text": NO_TEXT, "broken": BROKEN, "heavy": HEAVY}


class UnreadableError(Exception):
    """The text is not to be had; `str` says why, to stand behind the file's name."""


class StoppedError(UnreadableError):
    """Somebody wished no more for it."""

    def __init__(self) -> None:
        super().__init__(STOPPED)


class Stopper:
    """Ends what is read with it, now and later, from any thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_over = False

    def stop(self) -> None:
        """Kill the process that reads, if there is one."""
        with self._lock:
            self._is_over = True
            if self._process is not None:
                self._process.kill()

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """Have this process be the one that is killed."""
        with self._lock:
            self._process = process
            if self._is_over:
                process.kill()

    def check(self) -> None:
        """Raise StoppedError where all is over."""
        if self._is_over:
            raise StoppedError


def text_of(content: bytes, limit_bytes: int, stopper: Stopper | None = None) -> str:
    """Return the text, each page below a line `[page N]`. stopper: None: nobody ends it.

    Raises UnreadableError, also for more text than the limit.
    """
    stopper = stopper or Stopper()
    stopper.check()
    said = _said((*READER, str(limit_bytes)), content, stopper)
    stopper.check()
    try:
        told = json.loads(said)
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


def _said(command: Sequence[str], content: bytes, stopper: Stopper) -> bytes:
    """Return what the process says. Raises UnreadableError if it takes too long."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what the parser warns of is not for the terminal
        start_new_session=True,
    ) as process:
        stopper.watch(process)
        try:
            said, _ = process.communicate(content, DEADLINE_S)
        except subprocess.TimeoutExpired:
            raise UnreadableError(SLOW) from None
        finally:
            process.kill()
    return said


def n_pages(text: str) -> int:
    """Return how many pages a text is of. A line of its own that looks like a mark is none, unless
    it is the very next.
    """
    n = 0
    for number in _MARK.findall(text):
        n += int(number) == n + 1
    return n
