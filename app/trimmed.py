"""A text without the white space around it."""

from __future__ import annotations

CODE_INDENT = 4
"""So far in, a line that Markdown begins with is code."""


def trimmed(text: str) -> str:
    """Return it without white space around it, but for what makes its first line code."""
    text = text.rstrip()
    first = len(text) - len(text.lstrip())
    begin = text.rfind("\n", 0, first) + 1
    is_code = len(text[begin:first].expandtabs(CODE_INDENT)) >= CODE_INDENT
    return text[begin:] if is_code else text[first:]
