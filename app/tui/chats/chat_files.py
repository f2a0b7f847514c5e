"""Chats as files of the person: how they are named, written and read. Called from threads.

What is there already is replaced only by who says so. Raises OSError or AppError, one line each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from app import private_file
from app.errors import HistoryError
from app.files.dropped import path_in
from app.history import GO_ON, BroughtIn, History, Progress
from app.sizes import size
from app.terminal.sanitise import one_line

Form: TypeAlias = Literal["md", "json"]
FORMS: tuple[Form, ...] = ("md", "json")

ENDINGS: Mapping[str, Form] = {".json": "json", ".md": "md", ".markdown": "md", ".txt": "md"}
NAMELESS = "chat"
LONGEST_NAME = 60
MOST_BYTES = 500_000_000
NOTHING_SAVED = (
    "Nothing of this chat could be saved yet, so there is nothing to export; /copy all copies it."
)
LACKS = (
    "Not all that was said in this window could be saved; if any of it is of this chat, the file "
    "lacks it."
)
_UNSAFE = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


def proposed(title: str, ending: str) -> str:
    """Return a path in the current folder, of a name that every system takes."""
    name = _UNSAFE.sub("-", one_line(title))[:LONGEST_NAME].strip("-._ ")
    if not name or _RESERVED.match(name):
        name = f"{NAMELESS}-{name}".strip("-")
    try:
        folder = Path.cwd()
    except OSError:  # somebody removed it
        folder = Path(os.path.expanduser("~"))
    return str(folder / f"{name}.{ending}")


def path_of(typed: str) -> Path:
    """Return the path that was typed, or pasted for a dropped file. Raises HistoryError if nothing
    was.
    """
    typed = path_in(typed)
    if not typed:
        raise HistoryError("Type the path of a file.")
    return Path(os.path.expanduser(typed)).absolute()


def form_of(path: Path) -> Form:
    """Return the form that a file's name stands for. Raises HistoryError if that is none."""
    ending = path.suffix.lower()
    if ending[1:].isalpha() and ending not in ENDINGS:  # "v1.2" ends in none
        raise HistoryError(f"Chats are written as .md or .json, and not as {one_line(ending, 20)}.")
    return ENDINGS.get(ending, "md")


@dataclass(frozen=True, slots=True)
class Exported:
    """What a file is to hold. lacks: one line on what it does not, "" for nothing."""

    content: bytes
    lacks: str = ""


def exported(history: History, chat: int, form: Form) -> Exported:
    """Return a chat with what was said this moment, as far as it is saved. Raises HistoryError."""
    is_saved = history.flush() and not history.is_unsaved
    if not is_saved and not (history.titles([chat]) or history.is_deleted(chat)):
        raise HistoryError(NOTHING_SAVED)
    return Exported(_content(history, chat, form), "" if is_saved else LACKS)


def _content(history: History, chat: int, form: Form) -> bytes:
    if form == "json":
        content = history.export_json([chat])
        if len(content) > MOST_BYTES:
            raise HistoryError(
                f"The file would be {size(len(content))}, at most {size(MOST_BYTES)} can be "
                "imported; Markdown has links in place of the pictures."
            )
        return content
    return history.export_markdown(chat).encode()


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet. Raises FileExistsError if it is."""
    if not path.parent.is_dir():
        raise HistoryError(f"There is no folder {path.parent}.")
    if path.is_dir():
        raise HistoryError(f"{path} is a folder: add a file name.")
    if path.exists() and not path.is_file():  # which a file would take the place of
        raise HistoryError(f"{path} is a pipe or a device: give the name of a file.")
    private_file.write_new(path, content)


def write_beside(path: Path, content: bytes) -> Path:
    """Write a file of this name, or with the next free number behind it; return its path."""
    number, free = 1, path
    while True:
        try:
            write_new(free, content)
            return free
        except FileExistsError:
            number += 1
            free = path.with_stem(f"{path.stem}-{number}")


def bring_in(history: History, path: Path, progress: Progress = GO_ON) -> BroughtIn:
    """Import a file and return what came of it. Raises HistoryError, OSError."""
    if path.is_dir():
        raise HistoryError(f"{path} is a folder: name a file in it.")
    if not path.is_file():
        raise HistoryError(f"There is no file {path}.")
    n_bytes = path.stat().st_size
    if n_bytes > MOST_BYTES:
        raise HistoryError(
            f"{path.name} is too large: {size(n_bytes)}, at most {size(MOST_BYTES)}."
        )
    return history.import_json(path.read_bytes(), progress)


def told_of_import(found: BroughtIn) -> str:
    """Say what came of an import."""
    n_chats, n_left_out, n_known = len(found.chats), found.n_left_out, found.n_known
    told = f"{n_chats} chat{'' if n_chats == 1 else 's'} imported"
    told += ", archived as before" if n_chats and found.n_archived == n_chats else ""
    told += f", {n_known} {'was' if n_known == 1 else 'were'} here already." if n_known else "."
    if 0 < found.n_archived < n_chats:
        told += f" Of these, {found.n_archived} went into the archive."
    if n_left_out == 1:
        told += " One part that is no question or answer in plain text was left out."
    elif n_left_out:
        told += f" {n_left_out} parts that are no question or answer in plain text were left out."
    return told
