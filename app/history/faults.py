"""What a database or a disk says when it refuses, as a person is told it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from app.errors import HistoryError

_WORDS = {
    sqlite3.SQLITE_BUSY: "another program keeps it locked",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it cannot be opened",
    sqlite3.SQLITE_AUTH: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk refuses to read or write",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CORRUPT: "it is damaged; starting again mends it or puts it aside",
    sqlite3.SQLITE_NOTADB: "it is damaged; starting again puts it aside",
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

REFUSALS = (sqlite3.Error, UnicodeDecodeError)
"""What a database raises: SQLite's line may quote a damaged byte, which is then no text."""


def code_of(error: BaseException) -> int:
    """Return SQLite's primary result code, SQLITE_ERROR where there is none."""
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


def is_damage(error: BaseException) -> bool:
    """Say whether the file itself is at fault."""
    return code_of(error) in _DAMAGED


def is_locked(error: BaseException) -> bool:
    """Say whether another program is at fault, which may be done soon."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_of_the_disk(error: BaseException) -> bool:
    """Say whether the same could succeed later: the disk or another process is at fault."""
    return isinstance(error, OSError) or code_of(error) in _WORDS


def why(error: BaseException) -> str:
    """Return the cause in a few words."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    if isinstance(error, sqlite3.IntegrityError) and "FOREIGN KEY" in str(error):
        return "another window has erased the chat"
    return _WORDS.get(code_of(error), str(error).rstrip("."))


def unsaved(path: Path, error: BaseException) -> str:
    """Return the line for a history that cannot be written now."""
    return f"Chats are not being saved to {path}: {why(error)}. Trying again until it works."


def refuse_no_file(path: Path) -> None:
    """Raise HistoryError for a folder, or a pipe, which may take for ever to open."""
    if path.exists() and not path.is_file():
        raise HistoryError(f"{path} is no file, and chats are kept in one: move it elsewhere.")
