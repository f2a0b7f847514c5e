"""The terminal's title, and the one that it had before.

The title is OSC 2, which tmux and GNU screen take for their own; it is put on a stack that most
terminals have, and taken back from there.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TextIO

from app.terminal.clipboard import WITHOUT_OSC52

PUSH, POP = "\x1b[22;2t", "\x1b[23;2t"


def osc2(text: str) -> str:
    """Return what makes a text the terminal's title."""
    return f"\x1b]2;{text}\x07"


def has_title(env: Mapping[str, str]) -> bool:
    """Whether the terminal is one that has a title."""
    return env.get("TERM") not in WITHOUT_OSC52


@contextlib.contextmanager
def kept_title(terminal: TextIO | None = sys.__stderr__) -> Iterator[None]:
    """Give the terminal back the title that it had, or none where it cannot tell."""
    if terminal is None or not terminal.isatty() or not has_title(os.environ):
        yield
        return
    _write(terminal, PUSH)
    try:
        yield
    finally:
        _write(terminal, osc2("") + POP)


def _write(terminal: TextIO, text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # hung up
        terminal.write(text)
        terminal.flush()
