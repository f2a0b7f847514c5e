"""How much room a text will need that is not laid out yet (pure)."""

from __future__ import annotations


def about_rows(text: str, width: int) -> int:
    """Return about how many rows a text has at a width."""
    return sum(1 + len(line) // max(1, width) for line in text.splitlines())
