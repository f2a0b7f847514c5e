"""Files and long pasted texts that go with a question.

Only text is attached. What is sent to the model is what the file holds; what a screen shows of it,
it sanitises: names and errors are safe already. How files are named in a message: mentions.py.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import AppError
from app.mentions import TEXT_ENDINGS, mentions
from app.sanitise import one_line
from app.sizes import size

LIMIT_BYTES = 512_000
"""Largest file: more than about 130 000 tokens, which no model here has room for."""

PASTE_CHARACTERS = 2_000
PASTE_LINES = 30
LONGEST_NAME = 80
MOST_CONTROL = 0.02
"""Share of control characters above which what is not UTF-8 is no text in another encoding."""


class AttachmentError(AppError):
    """A file cannot be attached."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """name: as shown, safe on a screen. encoding: what the bytes were taken for, "" if pasted."""

    name: str
    text: str
    size_bytes: int
    encoding: str = ""

    @property
    def n_lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))

    @property
    def label(self) -> str:
        """What the transcript shows: name, lines, size, and a guess that was made."""
        lines = f"{self.n_lines} line" + "s" * (self.n_lines != 1)
        guess = f", taken for {self.encoding}" if self.encoding == "Windows-1252" else ""
        return f"{self.name} ({lines}, {size(self.size_bytes)}{guess})"

    @property
    def block(self) -> str:
        """What the model is sent: the name, and the text between fences longer than any in it."""
        longest = max((len(run) for run in re.findall(r"`+", self.text)), default=0)
        fence = "`" * max(3, longest + 1)
        ending = self.name.rpartition(".")[2]
        language = ending if ending in TEXT_ENDINGS else ""
        newline = "" if self.text.endswith("\n") or not self.text else "\n"
        return f"{self.name}:\n{fence}{language}\n{self.text}{newline}{fence}"


def attached(text: str, base: Path) -> list[Attachment]:
    """Read every file that a text mentions, each once. Raises AttachmentError."""
    found: dict[str, Attachment] = {}
    for mention in mentions(text):
        path = os.path.join(base, os.path.expanduser(mention.path))
        is_there = os.path.isfile(path) or (path.endswith("/") and os.path.isdir(path))
        if path not in found and (mention.certain or is_there):
            found[path] = read(Path(path), mention.path)
    return list(found.values())


def read(path: Path, name: str = "") -> Attachment:
    """Read a text file. name: what it is called, if not by its own name. Raises AttachmentError."""
    shown = one_line(name or path.name, LONGEST_NAME)
    content = _content(path, shown)
    if len(content) > LIMIT_BYTES:
        total = size(max(path.stat().st_size, len(content)))
        raise AttachmentError(f"{shown} is too large: {total}, at most {size(LIMIT_BYTES)}.")
    text, encoding = _decoded(content, shown)
    return Attachment(shown, _with_line_feeds(text), len(content), encoding)


def _content(path: Path, shown: str) -> bytes:
    """Read a little more than what is allowed, and only from a file: a pipe could take for ever."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise AttachmentError(f"{shown} is a folder: attach its files one by one.")
        if not stat.S_ISREG(mode):
            raise AttachmentError(f"{shown} is a device or a pipe: only files can be attached.")
        with path.open("rb") as file:
            return file.read(LIMIT_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise AttachmentError(f"There is no file {shown}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachmentError(f"Cannot read {shown}: {reason}.") from None


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes, shown: str) -> tuple[str, str]:
    """Return the text and the name of its encoding."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace"), "UTF-16"
    if b"\x00" in content:
        raise AttachmentError(f"{shown} is no text: only text can be attached.")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    n_control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in content)
    if content.startswith(b"%PDF") or n_control > MOST_CONTROL * len(content):
        raise AttachmentError(f"{shown} is no text: only text can be attached.")
    return content.decode("cp1252", "replace"), "Windows-1252"


def is_long(text: str) -> bool:
    """Whether a pasted text is better shown as an attachment."""
    return len(text) >= PASTE_CHARACTERS or text.count("\n") + 1 >= PASTE_LINES


def pasted(text: str, number: int = 1) -> Attachment:
    """Make an attachment of a pasted text. number: which one of this question's it is."""
    text = _with_line_feeds(text)
    return Attachment(f"Pasted text {number}", text, len(text.encode("utf-8", "replace")))


def for_model(question: str, attachments: Sequence[Attachment]) -> str:
    """Return what the model is sent: the question, then each text."""
    return "\n\n".join([question, *(each.block for each in attachments)]).strip("\n")
