"""Captures what llama.cpp says: all of it to standard error, the last complaints for error lines.

In the engine process standard error is the log file, so nothing of this reaches a terminal.
"""

from __future__ import annotations

import ctypes
import sys
from collections import deque

import llama_cpp

WARN, ERROR = 3, 4

_complaints: deque[str] = deque(maxlen=8)


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def callback(level: int, text: bytes, _user_data: ctypes.c_void_p) -> None:
    """Take one line in: what llama.cpp's other libraries are to be given too."""
    line = text.decode("utf-8", "replace")
    sys.stderr.write(line)
    if level >= ERROR and line.strip():
        _complaints.append(line.strip())


def capture() -> None:
    """Route llama.cpp's log here. Call once, before the first load."""
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))


def last_complaint() -> str:
    """Return and forget the first error since the last call: the cause, not its consequences."""
    complaint = _complaints[0] if _complaints else "llama.cpp gave no reason"
    _complaints.clear()
    return complaint
