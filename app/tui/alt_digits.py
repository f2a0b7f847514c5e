"""Alt+1 to Alt+9 as keys of their own.

A terminal sends Escape and the digit for them. Textual reads that as what a Mac's keyboard writes
with Option ("¡" for Alt+1); a Mac's terminal sends that character itself where it is meant.
"""

from __future__ import annotations

from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


def are_keys() -> None:
    """Have Textual tell of these keys by their names."""
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for digit in "123456789":
        table.pop(f"\x1b{digit}", None)
