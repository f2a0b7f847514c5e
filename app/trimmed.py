"""A text without the white space around it."""

from __future__ import annotations

CODE_INDENT = 4
"""So far in, a line that Markdown begins with is code."""


def trimmed(text: str) -> str:
    """Return it without white space around it, but for what makes its first line code."""
    indent, begun = _parted(text)
    is_code = len(indent.expandtabs(CODE_INDENT)) >= CODE_INDENT
    return indent + begun if is_code else begun


def trimmed_lines(text: str) -> str:
    """Return it without white space around it, but for what the first of several lines is indented
    by: what is cut out of a file says by that where it belongs.
    """
    indent, begun = _parted(text)
    return indent + begun if "\n" in begun else begun


def _parted(text: str) -> tuple[str, str]:
    """Return what its first line that says something is indented by, and all from there on."""
    text = text.rstrip()
    begun = text.lstrip()
    before = text[: len(text) - len(begun)]
    return before[before.rfind("\n") + 1 :], begun
