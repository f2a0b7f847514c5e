"""Files and long pasted texts that go with a question.

Only text is attached, a PDF's too. What is sent to the model is what the file holds; what a screen
shows of it, it sanitises: names and errors are safe already. Reading a PDF may take half a minute.
How files are named in a message: mentions.py.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app import pdf
from app.errors import AppError
from app.mentions import TEXT_ENDINGS, mentions
from app.sanitise import one_line
from app.sizes import size

LIMIT_BYTES = 512_000
"""Largest file: more than about 130 000 tokens, which no model here has room for."""

PDF = "PDF"
"""Stands for the encoding of what was taken out of one."""

PASTE_CHARACTERS = 2_000
PASTE_LINES = 30
LONGEST_NAME = 80
MOST_KNOWN = 8
"""Files whose text a Reader keeps."""
MOST_CONTROL = 0.02
"""Share of control characters above which what is not UTF-8 is no text in another encoding."""

NO_TEXT = "is no text: only text and PDF files can be attached."
OFFICE = "is an office document: save it as PDF or plain text and attach that."
PICTURE = "is a picture, and only text is sent to the model: attach text or PDF files."
ARCHIVE = "is an archive: unpack it and attach the text or PDF files in it."
SOUND = "is a recording: only text and PDF files can be attached."
KINDS = {
    OFFICE: "doc docx odt ott pages ppt pptx odp key xls xlsx ods numbers epub",
    PICTURE: "png jpg jpeg gif webp bmp tif tiff heic avif ico",
    ARCHIVE: "zip gz tgz bz2 xz zst 7z rar tar jar",
    SOUND: "mp3 wav flac ogg m4a opus mp4 mkv mov avi webm",
}
"""What to say of what is no text, by the endings of files."""


class AttachmentError(AppError):
    """A file cannot be attached."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """name: as shown, safe on a screen. encoding: what the bytes were taken for, "" if pasted.

    size_bytes: the file's. of_lines: how many lines the file has, where only the first ones are
    here; 0: all are.
    """

    name: str
    text: str
    size_bytes: int
    encoding: str = ""
    of_lines: int = 0

    def head(self, n_lines: int) -> Attachment:
        """Return it with its first lines alone."""
        text = "\n".join(self.text.split("\n")[:n_lines]) + "\n"
        return replace(self, text=text, of_lines=self.of_lines or self.n_lines)

    @property
    def n_lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))

    @property
    def label(self) -> str:
        """What the transcript shows: name, lines, size, and a guess that was made."""
        if self.of_lines:
            kept = f"the first {self.n_lines} of {self.of_lines} lines"
            return f"{self.name} ({kept}, {size(self.size_bytes)})"
        if self.encoding == PDF:
            pages = pdf.n_pages(self.text)
            return f"{self.name} ({pages} page{'s' * (pages != 1)}, {size(self.size_bytes)})"
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
        part = f" (the first {self.n_lines} of {self.of_lines} lines)" if self.of_lines else ""
        return f"{self.name}{part}:\n{fence}{language}\n{self.text}{newline}{fence}"


class Reader:
    """Reads a file again only when it has changed: what is typed is looked at with every letter.

    Several threads may ask; one reads at a time.
    """

    def __init__(self) -> None:
        self._reading = threading.Lock()
        self._known: dict[tuple[str, str, int, int], Attachment | AttachmentError] = {}

    def read(self, path: Path, name: str = "") -> Attachment:
        """Do as the function does. Raises AttachmentError."""
        try:
            found = path.stat()
        except (OSError, ValueError):
            return read(path, name)
        key = (str(path), name, found.st_mtime_ns, found.st_size)
        with self._reading:
            known = self._known.pop(key, None) or _read_or_refused(path, name)
            self._known[key] = known  # at the end: the oldest goes first
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        if isinstance(known, AttachmentError):
            raise AttachmentError(str(known))
        return known


def _read_or_refused(path: Path, name: str) -> Attachment | AttachmentError:
    try:
        return read(path, name)
    except AttachmentError as error:
        return error


def attached(
    text: str, base: Path, reading: Callable[[Path, str], Attachment] | None = None
) -> list[Attachment]:
    """Read every file that a text mentions, each once. reading: `read` or a Reader's.

    Raises AttachmentError.
    """
    reading = reading or read
    found: dict[str, Attachment] = {}
    for mention in mentions(text):
        path = os.path.join(base, os.path.expanduser(mention.path))
        is_there = os.path.isfile(path) or (path.endswith("/") and os.path.isdir(path))
        if path not in found and (mention.certain or is_there):
            found[path] = reading(Path(path), mention.path)
    return list(found.values())


def read(path: Path, name: str = "") -> Attachment:
    """Read a text file or a PDF. name: what it is called, if not by its own name.

    Raises AttachmentError.
    """
    shown = one_line(name or path.name, LONGEST_NAME)
    is_pdf = path.suffix.lower() == ".pdf"
    content = _content(path, shown, pdf.LIMIT_BYTES if is_pdf else LIMIT_BYTES)
    if is_pdf or content.startswith(pdf.MAGIC):
        return Attachment(shown, _text_of_pdf(content, shown), len(content), PDF)
    text, encoding = _decoded(content, shown)
    return Attachment(shown, _with_line_feeds(text), len(content), encoding)


def _content(path: Path, shown: str, limit_bytes: int) -> bytes:
    """Read no more than what is allowed, and only from a file: a pipe could take for ever."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise AttachmentError(f"{shown} is a folder: attach its files one by one.")
        if not stat.S_ISREG(found.st_mode):
            raise AttachmentError(f"{shown} is a device or a pipe: only files can be attached.")
        with path.open("rb") as file:
            content = file.read(limit_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise AttachmentError(f"There is no file {shown}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachmentError(f"Cannot read {shown}: {reason}.") from None
    if len(content) > limit_bytes:
        total = size(max(found.st_size, len(content)))
        known = _known_kind(shown)
        why = known or f"is too large: {total}, at most {size(limit_bytes)}."
        raise AttachmentError(f"{shown} {why}")
    return content


def _text_of_pdf(content: bytes, shown: str) -> str:
    try:
        return pdf.text_of(content, LIMIT_BYTES)
    except pdf.UnreadableError as error:
        raise AttachmentError(f"{shown} {error}") from None


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _known_kind(shown: str) -> str:
    """Return what to say of a file that is no text by its name, "" if that says nothing."""
    return next((why for why, endings in KINDS.items() if _ending(shown) in endings.split()), "")


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes, shown: str) -> tuple[str, str]:
    """Return the text and the name of its encoding."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace"), "UTF-16"
    if b"\x00" in content:
        raise AttachmentError(f"{shown} {_known_kind(shown) or NO_TEXT}")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    n_control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in content)
    if n_control > MOST_CONTROL * len(content):
        raise AttachmentError(f"{shown} {_known_kind(shown) or NO_TEXT}")
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
