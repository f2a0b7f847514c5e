"""Esc with a Ctrl letter right behind it as the two keys that are pressed.

A terminal sends the same for Alt+Ctrl and the letter, which mean nothing here. Textual takes it for
the beginning of something longer: it loses the Esc, or types "^" in its place.
"""

from __future__ import annotations

from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

ESC = "\x1b"
ELSE = "\b\t\n\r\x1b"
"""Behind an Esc, these are Alt with Backspace, Tab or Enter."""


def is_a_key() -> None:
    """Have Textual tell of the Esc, too."""
    table = cast("dict[str, tuple[object, ...]]", ANSI_SEQUENCES_KEYS)
    for sign in map(chr, range(1, 32)):
        if sign not in ELSE and sign in table:
            table[ESC + sign] = (*table[ESC + ESC], *table[sign])
