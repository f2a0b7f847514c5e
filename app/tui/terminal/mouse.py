"""Gives the mouse to the terminal, whose own selection works then, and takes it back.

Textual has no public way in mid-run. What is written here are the modes that its drivers switch on;
how positions are encoded stays as it is, for a driver remembers that.
"""

from __future__ import annotations

from typing import Any

from textual.app import App

from app.tui.text.copied import write_to

FREE = "\x1b[?1003l\x1b[?1000l"
TAKEN = "\x1b[?1000h\x1b[?1003h"


def set_free(app: App[Any], is_free: bool) -> None:
    """Let the terminal have the mouse, or the app."""
    write_to(app, FREE if is_free else TAKEN)
