"""What an empty prompt says, and how the line below it is cut to its width."""

from __future__ import annotations

ASK = "Ask something"
READING = "Reading the files…"
TOO_LONG = "Too long for Up: Ctrl+Z brings it back."
FRAME = 4
"""Columns of the prompt's border that no title takes."""


def below(keys: str, count: str, width: int) -> str:
    """Join the keys and the length of the question; the latter alone where room is scarce."""
    joined = " · ".join(part for part in (keys, count) if part)
    return count if count and len(joined) > width - FRAME else joined
