"""The process that reads one PDF: bytes on standard input, one JSON object on standard output.

`python -P -m app.files.pdf_process LIMIT_BYTES` prints {"pages": [text, …]}, or {"refused": why}:
why is "encrypted", "no text", "broken", "heavy" or "long" (with n and of: so many pages are too
much).
It limits its own memory and time, so it ends also when whoever started it has gone.
"""

from __future__ import annotations

import io
import json
import re
import resource
import sys
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from app.terminal.sanitise import sanitise

if TYPE_CHECKING:
    from pypdf import PdfReader

MEMORY_BYTES = 2**30
CPU_S = 40
MARK_BYTES = 10
"""What `[page N]` takes: a million empty pages are no small text."""
UNREADABLE_PAGE = "(This page cannot be read.)"
LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}

Told: TypeAlias = dict[str, object]


def main() -> None:
    """Read, and tell."""
    for kind, limit in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_S)):
        with suppress(OSError, ValueError):  # not every system has it
            resource.setrlimit(kind, (limit, limit))
    try:
        told = read(sys.stdin.buffer.read(), int(sys.argv[1]))
    except MemoryError:
        told = {"refused": "heavy"}
    print(json.dumps(told))


def read(content: bytes, limit_bytes: int) -> Told:
    """Return what is told of a PDF. Raises MemoryError."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"refused": "encrypted"}
        n_pages = len(reader.pages)
        return _told((_text(reader, number) for number in range(n_pages)), n_pages, limit_bytes)
    except (DependencyError, FileNotDecryptedError):
        return {"refused": "encrypted"}
    except MemoryError:
        raise
    except Exception:  # a parser of hostile bytes fails in every way there is
        return {"refused": "broken"}


def _told(texts: Iterable[str | None], n_pages: int, limit_bytes: int) -> Told:
    """Collect pages until they are too much. A page is None if it cannot be read."""
    pages: list[str] = []
    n_bytes, is_text, is_readable = 0, False, False
    for text in texts:
        is_readable = is_readable or text is not None
        is_text = is_text or bool(text)
        pages.append(UNREADABLE_PAGE if text is None else text)
        n_bytes += len(pages[-1].encode()) + MARK_BYTES
        if n_bytes > limit_bytes:
            return {"refused": "long", "n": len(pages), "of": n_pages}
    if not is_readable:
        return {"refused": "broken"}
    return {"pages": pages} if is_text else {"refused": "no text"}


def _text(reader: PdfReader, number: int) -> str | None:
    """Return a page's text, tidied; None if it cannot be read."""
    try:
        text = sanitise(reader.pages[number].extract_text()).translate(LIGATURES)
    except MemoryError:
        raise
    except Exception:
        return None
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip()


if __name__ == "__main__":
    main()
