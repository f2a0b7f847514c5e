"""Alt+1 to Alt+9, and Alt+Enter, as keys of their own.

A terminal sends Escape and the digit, or what Enter sends. Textual reads the former as what a Mac's
keyboard writes with Option ("¡" for Alt+1), where a Mac's terminal sends that character itself; of
the latter it forgets the Alt.
"""

from __future__ import annotations

from enum import Enum
from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class _Key(Enum):
    """What Textual's own table of keys lacks."""

    ALT_ENTER = "alt+enter"


def are_keys() -> None:
    """Have Textual tell of these keys by their names."""
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for digit in "123456789":
        table.pop(f"\x1b{digit}", None)
    table["\x1b\r"] = (_Key.ALT_ENTER,)
