"""What is wrong with a TOML text, in words for a person: the line, and what to do about it."""

from __future__ import annotations

import re
import tomllib

from app.terminal.sanitise import one_line

LONGEST_LINE = 60
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)
_UNQUOTED = re.compile(r"\s*\[[^\[\]\"'=]+\]\s*")
QUOTE = 'quote a name with spaces or other letters: ["Code Reviewer"]'
"""What to do where a table's name needs it."""
_MEANINGS = (
    (
        r"Cannot (overwrite|redefine|mutate)|Duplicate",
        "this name has a value already; take one of the two out",
    ),
    (r"Cannot declare", "this table is there already; write what belongs to it below the first"),
    (
        r"Expected '='|Invalid (statement|initial)",
        "it should be NAME = VALUE, [TABLE], or a comment that begins with #",
    ),
    (r"Expected '\]", "a table's name should stand between brackets: [TABLE]"),
    (
        r"Expected newline",
        "something follows the value; write one value on a line, text in quotes, and numbers with "
        "a point",
    ),
    (r"Invalid value", "the value should be text in quotes, a number, a list, true or false"),
    (r"Invalid date", "there is no such date or time; put text into quotes"),
    (r"Unterminated|Expected \"|.* character '\\n'", "a quotation mark is missing here or above"),
    (r".* character ", "it holds a sign that cannot be seen; delete it and type the line again"),
    (r"Unescaped|Invalid hex|Escaped", r"write \\ for each \, or put the text between ' and '"),
    (r"Unclosed array", "the list should go on with a comma or end with ]"),
    (r"Unclosed inline", "the table should go on with a comma or end with }"),
)
"""What to do, by how the parser's words begin."""


def in_words(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return what is wrong with a text that the parser refused, without the full stop."""
    placed = _PLACE.fullmatch(str(error))
    if placed is None:
        return str(error)
    lines = text.rstrip().split("\n") if placed[2] is None else text.split("\n")
    n = int(placed[2] or len(lines))
    meant = (words for begins, words in _MEANINGS if re.match(begins, placed[1], re.DOTALL))
    shown = one_line(lines[n - 1], LONGEST_LINE)
    is_unquoted = _UNQUOTED.fullmatch(lines[n - 1]) and re.match("Expected|Invalid", placed[1])
    return f"line {n}, `{shown}`: {QUOTE if is_unquoted else next(meant, placed[1])}"
