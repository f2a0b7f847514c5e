"""Captures what llama.cpp says: all but the debug lines to standard error, the first error for
error lines. Of debug lines a GPU says two at every change of the batch width.

In the engine process standard error is the log file, so nothing of this reaches a terminal.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass

import llama_cpp

DEBUG, ERROR, CONTINUED = 1, 4, 5


@dataclass(slots=True)
class Heard:
    """complaint: the first error since it was last set to "": the cause, not its consequences.
    level: of the line that is being said.
    """

    complaint: str = ""
    level: int = 0


heard = Heard()


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def callback(level: int, text: bytes, _user_data: ctypes.c_void_p) -> None:
    """Take one line in: what llama.cpp's other libraries are to be given too."""
    heard.level = level = heard.level if level == CONTINUED else level
    if level == DEBUG:
        return
    line = text.decode("utf-8", "replace")
    sys.stderr.write(line)
    if level >= ERROR and not heard.complaint:
        heard.complaint = line.strip()


def capture() -> None:
    """Route llama.cpp's log here. Call before a load."""
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))


def forget() -> None:
    """Forget what was heard. Call before what may fail."""
    heard.complaint = ""


def first_complaint() -> str:
    """Return the first error that was not forgotten."""
    return heard.complaint or "llama.cpp gave no reason"
