"""Files and long pasted texts that go with a question.

A mention is `@notes.txt`, `@~/x.md` or `@"with spaces.md"` at the beginning of a word and outside
code. One that may as well be a handle, a decorator or a package (`@alice`, `@types/node`) counts
only if there is such a file; one that can only be a file (quoted, `@./x`, `@/x`, `@~/x`, or with
the ending of a text file) must be there. Only text is attached. What is sent to the model is what
the file holds; what a screen shows of it, it sanitises: names and errors are safe already.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import AppError
from app.sanitise import one_line
from app.sizes import size

LIMIT_BYTES = 512_000
"""Largest file: more than about 130 000 tokens, which no model here has room for."""

PASTE_CHARACTERS = 2_000
PASTE_LINES = 30
LONGEST_NAME = 80
MOST_CONTROL = 0.02
"""Share of control characters above which what is not UTF-8 is no text in another encoding."""

TEXT_ENDINGS = frozenset(
    "adoc bash bat c cc cfg clj conf cpp cs css csv cu diff env erl ex f90 fish go graphql h hpp hs "
    "html ini ipynb java jl js json jsonl jsx kt kts less lock log lua m md mdx mjs ml nix org patch "
    "php pl proto ps1 py pyi r rb rs rst sass scala scss sh sql srt svg swift tcl tex tf toml ts tsv "
    "tsx txt vim vtt vue xml yaml yml zig zsh".split()
)
QUOTED_OR_BARE = re.compile(r"""(?<![^\s(\[{])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'@]+)(?!\S))""")
BEING_TYPED = re.compile(r"""(?<![^\s(\[{])@(?:"([^"\n]*)|'([^'\n]*)|([^\s"'@]*))\Z""")
CODE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t]*\1[`~]*[ \t]*$"  # a fence …
    r"|^[ \t]*(?:`{3,}|~{3,})[^\n]*\n.*\Z"  # … that may be left open
    r"|(`+)(?!`).+?(?<!`)\2(?!`)",  # in a line
    re.DOTALL | re.MULTILINE,
)
TRAILING = ".,;:!?)]}"


class AttachmentError(AppError):
    """A file cannot be attached."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A file named in a text, `text[start:end]`. certain: it cannot be meant otherwise."""

    path: str
    start: int
    end: int
    certain: bool


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


def mentions(text: str) -> list[Mention]:
    """Return what may be files in a text, in order."""
    code = [found.span() for found in CODE.finditer(text)]
    return [
        mention
        for found in QUOTED_OR_BARE.finditer(text)
        if not any(start <= found.start() < end for start, end in code)
        if (mention := _mention(found)) is not None
    ]


def _mention(found: re.Match[str]) -> Mention | None:
    quoted = found[1] or found[2]
    if quoted:
        return Mention(quoted, found.start(), found.end(), certain=True)
    path = found[3].rstrip(TRAILING)
    if not path:
        return None
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    is_path = path.startswith(("./", "../", "/", "~/"))
    end = found.end() - len(found[3]) + len(path)
    is_call = "(" in path
    return Mention(path, found.start(), end, is_path or (ending in TEXT_ENDINGS and not is_call))


def attached(text: str, base: Path) -> list[Attachment]:
    """Read every file that a text mentions, each once. Raises AttachmentError."""
    found: dict[Path, Attachment] = {}
    for mention in mentions(text):
        path = base / os.path.expanduser(mention.path)
        if path not in found and (mention.certain or path.is_file()):
            found[path] = read(path, mention.path)
    return list(found.values())


def read(path: Path, name: str = "") -> Attachment:
    """Read a text file. name: what it is called, if not by its own name. Raises AttachmentError."""
    shown = one_line(name or path.name, LONGEST_NAME)
    content = _content(path, shown)
    if len(content) > LIMIT_BYTES:
        total = size(max(path.stat().st_size, len(content)))
        raise AttachmentError(f"{shown} is too large: {total}, at most {size(LIMIT_BYTES)}.")
    text, encoding = _decoded(content, shown)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Attachment(shown, text, len(content), encoding)


def _content(path: Path, shown: str) -> bytes:
    """Read a little more than what is allowed, and only from a file: a pipe could take for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                raise AttachmentError(f"{shown} is no file of its own: it cannot be attached.")
            return file.read(LIMIT_BYTES + 1)
    except FileNotFoundError:
        raise AttachmentError(f"There is no file {shown}.") from None
    except IsADirectoryError:
        raise AttachmentError(f"{shown} is a folder: attach its files one by one.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachmentError(f"Cannot read {shown}: {reason}.") from None


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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Attachment(f"Pasted text {number}", text, len(text.encode("utf-8", "replace")))


def for_model(question: str, attachments: Sequence[Attachment]) -> str:
    """Return what the model is sent: the question, then each text."""
    return "\n\n".join([question, *(each.block for each in attachments)]).strip("\n")


def being_typed(text: str, cursor: int) -> Mention | None:
    """Return the mention that ends at the cursor and may be completed, if there is one."""
    found = BEING_TYPED.search(text[:cursor])
    if found is None or any(s <= found.start() < e for s, e in _code_before(text, cursor)):
        return None
    path = next((group for group in found.groups() if group is not None), "")
    return Mention(path, found.start(), cursor, certain=found[3] is None)


def _code_before(text: str, cursor: int) -> Iterator[tuple[int, int]]:
    yield from (found.span() for found in CODE.finditer(text[:cursor]))
