"""What every chat is to know of the user: a short text file that the person owns, line by line.

What is written in it by hand stays as it is; `remember` adds a line, `forget` takes one away. It is
read when it is used, and nothing but these two ever writes it. It knows no chat.
"""

from __future__ import annotations

from pathlib import Path

from app.errors import SettingsError, reason
from app.private_file import write_private
from app.short_text import check_short, read_short
from app.terminal.sanitise import one_line

LIMIT_BYTES = 2000
"""It is sent with every question, and has to be read before the answer."""
BULLET = "- "


def read(path: Path) -> str:
    """Return the text, "" if there is no file. Raises SettingsError."""
    return _content(path).strip()


def lines(text: str) -> list[str]:
    """Return what the lines say, as it may be shown; empty ones are left out."""
    return [line for line in map(_line, text.splitlines()) if line]


def remember(path: Path, text: str) -> str:
    """Add a line; return it as it is in the file. Raises SettingsError."""
    before, line = _content(path), BULLET + one_line(text, LIMIT_BYTES)
    if before and not before.endswith("\n"):
        before += "\n"
    _write(path, f"{before}{line}\n")
    return line


def forget(path: Path, wanted: str) -> None:
    """Take away the first line that says this. Raises SettingsError, also if none does."""
    found = _content(path).splitlines(keepends=True)
    at = next((i for i, line in enumerate(found) if _line(line) == _line(wanted) != ""), None)
    if at is None:
        said = one_line(wanted, 60)
        raise SettingsError(f"{path.name} has no line {said!r}; /remember shows its lines.")
    _write(path, "".join(found[:at] + found[at + 1 :]))


def _line(line: str) -> str:
    return one_line(line, LIMIT_BYTES).removeprefix(BULLET).strip()


def _content(path: Path) -> str:
    """Return what is in the file. Raises SettingsError."""
    try:
        return read_short(path, LIMIT_BYTES, "what chats know of you is a text file")
    except FileNotFoundError:
        return ""


def _write(path: Path, text: str) -> None:
    try:
        content = text.encode()
        check_short(str(path), len(content), LIMIT_BYTES)
        write_private(path, content)
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot write {path}: {reason(error)}.") from None
