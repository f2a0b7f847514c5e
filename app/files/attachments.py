"""Files and long pasted texts that go with a question.

Text is attached, a PDF's too, and pictures. What is sent to the model is what the file holds; what
a screen shows of it, it sanitises: names and errors are safe already. Reading a PDF may take half a
minute. How files are named in a message: mentions.py; what a picture is: pictures.py; which can go
with a question: attachable.py.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import AppError, reason
from app.files import pdf, pictures
from app.files.attachable import (
    LIMIT_BYTES,
    ending,
    limit_bytes,
    no_text,
    picture_limit_bytes,
    too_large,
)
from app.files.mentions import TEXT_ENDINGS, mentions, place
from app.files.pdf import Stopper
from app.files.pictures import Album
from app.sizes import size
from app.terminal.sanitise import one_line
from engine import Picture

PDF = "PDF"
"""Stands for the encoding of what was taken out of one."""

PASTE_CHARACTERS = 2_000
PASTE_LINES = 30
LONGEST_NAME = 80
MOST_CONTROL = 0.02
"""Share of control characters above which what is not UTF-8 is no text in another encoding."""

CHANGED = "has just changed: send it again."


class AttachmentError(AppError):
    """A file cannot be attached."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """name: as shown, safe on a screen. encoding: what the bytes were taken for, "" if pasted.

    size_bytes: the file's. of_lines: how many lines the file has, where only the first ones are
    here; 0: all are. picture: what the engine is given of one, which has no text; pixels: its width
    and height.
    """

    name: str
    text: str
    size_bytes: int
    encoding: str = ""
    of_lines: int = 0
    picture: Picture | None = None
    pixels: tuple[int, int] = (0, 0)

    @property
    def is_gone(self) -> bool:
        """Whether it is a picture that is not where it was, or another by now, as its size tells.
        Where nobody kept the size, that is 0.
        """
        if self.picture is None:
            return False
        try:
            return self.size_bytes not in (0, os.stat(self.picture.path).st_size)
        except OSError:
            return True

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
        if self.picture is not None:
            width, height = self.pixels
            gone = ", gone: no longer sent" if self.is_gone else ""
            about = f"{self.encoding}, {width} \N{MULTIPLICATION SIGN} {height} pixels"
            return f"{self.name} ({about}, {size(self.size_bytes)}{gone})"
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
        """What the model is sent: the name, and the text between fences longer than any in it; of
        a picture, that it is not shown.
        """
        if self.picture is not None:
            return f"[The picture {self.name} is not shown here.]"
        longest = max((len(run) for run in re.findall(r"`+", self.text)), default=0)
        fence = "`" * max(3, longest + 1)
        found = self.name.rpartition(".")[2]
        language = found if found in TEXT_ENDINGS else ""
        newline = "" if self.text.endswith("\n") or not self.text else "\n"
        part = f" (the first {self.n_lines} of {self.of_lines} lines)" if self.of_lines else ""
        return f"{self.name}{part}:\n{fence}{language}\n{self.text}{newline}{fence}"


def attached(
    text: str, base: Path, reading: Callable[[Path, str], Attachment] | None = None
) -> list[Attachment]:
    """Read every file that a text mentions, each once. reading: `read` or a Reader's.

    Raises AttachmentError.
    """
    reading = reading or read
    found: dict[str, Attachment] = {}
    for mention in mentions(text):
        path = place(mention.path, base)
        is_there = os.path.isfile(path) or (path.endswith("/") and os.path.isdir(path))
        file = os.path.realpath(path) if is_there else path  # by whichever name
        if file not in found and (mention.certain or is_there):
            found[file] = reading(Path(path), mention.path)
    return list(found.values())


def read(path: Path, name: str = "", stopper: Stopper | None = None) -> Attachment:
    """Read a text file, a PDF or a picture. name: what it is called, if not by its own name.
    stopper: of the reading of a PDF.

    Raises AttachmentError.
    """
    shown = _shown(path, name)
    content = _content(path, shown)
    if ending(path.name) == "pdf" or content.startswith(pdf.MAGIC):
        return Attachment(shown, _text_of_pdf(content, shown, stopper), len(content), PDF)
    if found := _picture(path, content, shown):
        return found
    if len(content) > LIMIT_BYTES:
        raise AttachmentError(too_large(shown, len(content), LIMIT_BYTES))
    text, encoding = _decoded(content, shown)
    return Attachment(shown, _with_line_feeds(text), len(content), encoding)


def read_picture(path: Path) -> Attachment:
    """Read a picture, and nothing else. Raises AttachmentError."""
    shown = _shown(path)
    found = _picture(path, _content(path, shown, picture_limit_bytes), shown)
    assert found is not None, "it begins as one"
    return found


def _shown(path: Path, name: str = "") -> str:
    return one_line(name or path.name or str(path.absolute()), LONGEST_NAME)


def _content(path: Path, shown: str, limit: Callable[[str, bytes], int] = limit_bytes) -> bytes:
    """Read no more than what is allowed, and only from a file: a pipe could take for ever."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise AttachmentError(f"{shown} is a folder: attach its files one by one.")
        if not stat.S_ISREG(found.st_mode):
            raise AttachmentError(f"{shown} is a device or a pipe: only files can be attached.")
        with path.open("rb") as file:
            head = file.read(pictures.HEAD_BYTES)
            most_bytes = limit(path.name, head)
            content = head + file.read(most_bytes + 1 - len(head))
    except (FileNotFoundError, NotADirectoryError):
        raise AttachmentError(f"There is no file {shown}.") from None
    except pictures.UnreadableError as error:
        raise AttachmentError(f"{shown} {error}") from None
    except (OSError, ValueError) as error:
        raise AttachmentError(f"Cannot read {shown}: {reason(error)}.") from None
    if len(content) > most_bytes:
        total = max(found.st_size, len(content))
        raise AttachmentError(too_large(shown, total, most_bytes))
    return content


def _picture(path: Path, content: bytes, shown: str) -> Attachment | None:
    """Return the picture that a file holds, None if it holds something else."""
    try:
        kind = pictures.kind_of(content)
        pixels = pictures.pixels_of(content, kind) if kind else (0, 0)
    except pictures.UnreadableError as error:
        raise AttachmentError(f"{shown} {error}") from None
    if not kind:
        return None
    picture = Picture(path=str(path.absolute()), id=pictures.sha256_of(content))
    return Attachment(shown, "", len(content), kind, picture=picture, pixels=pixels)


def kept(found: Attachment, album: Album) -> Attachment:
    """Return a picture as it is kept with its chat, which it is from now on. Raises
    AttachmentError.
    """
    assert found.picture is not None, "a picture"
    path, id = found.picture.path, found.picture.id
    try:
        path = str(album.keep(Path(path), id, found.encoding))
    except pictures.ChangedError:
        raise AttachmentError(f"{found.name} {CHANGED}") from None
    except OSError as error:
        raise AttachmentError(
            f"{found.name} cannot be kept with the chat: {reason(error)}. "
            "`slipstream chat --private` keeps nothing."
        ) from None
    return replace(found, picture=Picture(path=path, id=id))


def _text_of_pdf(content: bytes, shown: str, stopper: Stopper | None) -> str:
    try:
        return pdf.text_of(content, LIMIT_BYTES, stopper)
    except pdf.UnreadableError as error:
        raise AttachmentError(f"{shown} {error}") from None
    except OSError as error:  # no process can be started to read it
        raise AttachmentError(f"Cannot read {shown}: {reason(error)}.") from None


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes, shown: str) -> tuple[str, str]:
    """Return the text and the name of its encoding."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # LE begins as UTF-16 does
        return content.decode("utf-32", "replace"), "UTF-32"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace"), "UTF-16"
    if b"\x00" in content:
        raise AttachmentError(no_text(shown))
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    n_control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in content)
    if n_control > MOST_CONTROL * len(content):
        raise AttachmentError(no_text(shown))
    return content.decode("cp1252", "replace"), "Windows-1252"


def is_long(text: str) -> bool:
    """Whether a pasted text is better shown as an attachment."""
    return len(text) >= PASTE_CHARACTERS or text.count("\n") + 1 >= PASTE_LINES


def pasted(text: str, number: int = 1) -> Attachment:
    """Make an attachment of a pasted text. number: which one of this question's it is."""
    text = _with_line_feeds(text)
    return Attachment(f"Pasted text {number}", text, len(text.encode("utf-8", "replace")))


def for_model(question: str, attachments: Sequence[Attachment], sees: bool = True) -> str:
    """Return what the model is sent: the question, then each text. sees: it is shown pictures;
    else, as of those that are gone, it is told that there is one.
    """
    told = (each.block for each in attachments if not (sees and is_shown(each)))
    return "\n\n".join([question, *told]).strip("\n")


def is_shown(each: Attachment) -> bool:
    """Whether it is a picture that can be shown."""
    return each.picture is not None and not each.is_gone


def pictures_of(attachments: Sequence[Attachment]) -> list[Picture]:
    """Return the pictures that can be shown, in their order."""
    return [each.picture for each in attachments if each.picture is not None and not each.is_gone]
