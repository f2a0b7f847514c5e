"""What can go with a question, as far as a file's name, size and first bytes tell.

What is in it is attachments.py's.
"""

from __future__ import annotations

from app.files import pdf, pictures
from app.sizes import size

LIMIT_BYTES = 512_000
"""Largest file: more than about 130 000 tokens, which no model here has room for."""
BYTES_PER_TOKEN = 4
"""About so many of a text are one token."""

NO_TEXT = "is no text: only text, PDF and picture files can be attached."
NO_PICTURE = "is no picture: PNG, JPEG, BMP or GIF."
OFFICE = "is an office document: save it as PDF or plain text and attach that."
ARCHIVE = "is an archive: unpack it and attach the text or PDF files in it."
SOUND = "is a recording: only text, PDF and picture files can be attached."
KINDS = {
    OFFICE: "doc docx odt ott pages ppt pptx odp key xls xlsx ods numbers epub",
    pictures.OTHER: " ".join(pictures.OTHER_ENDINGS),
    ARCHIVE: "zip gz tgz bz2 xz zst 7z rar tar jar",
    SOUND: "mp3 wav flac ogg m4a opus mp4 mkv mov avi webm",
}
"""What to say of what is no text, by the endings of files."""


def ending(name: str) -> str:
    """Return a file's ending in small letters, "" if it has none."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def limit_bytes(name: str, head: bytes = b"") -> int:
    """Return how large a file of this name may be that begins so. Raises UnreadableError for a
    picture of a kind that is not read.
    """
    if ending(name) == "pdf" or head.startswith(pdf.MAGIC):
        return pdf.LIMIT_BYTES
    is_picture = ending(name) in pictures.ENDINGS or pictures.kind_of(head)
    return pictures.LIMIT_BYTES if is_picture else LIMIT_BYTES


def picture_limit_bytes(name: str, head: bytes) -> int:
    """Return how large a picture may be that begins so. Raises UnreadableError for what is none."""
    if pictures.kind_of(head):
        return pictures.LIMIT_BYTES
    if ending(name) in pictures.OTHER_ENDINGS:
        raise pictures.UnreadableError(pictures.OTHER)
    is_named_so = ending(name) in pictures.ENDINGS
    raise pictures.UnreadableError(pictures.BROKEN if is_named_so else NO_PICTURE)


def known_kind(name: str) -> str:
    """Return what to say of a file that is no text by its name, "" if that says nothing."""
    return next((why for why, endings in KINDS.items() if ending(name) in endings.split()), "")


def too_large(name: str, n_bytes: int, most_bytes: int) -> str:
    """Say of a file, by its name, that it is too large, or what it is that is never attached."""
    found, most = size(n_bytes), size(most_bytes)
    if found == most:
        found, most = f"{n_bytes:,} bytes", f"{most_bytes:,}"
    found = f"is too large: {found}, at most {most}."
    return f"{name} {known_kind(name) or found}"


def no_text(name: str) -> str:
    """Say of what is neither text nor a picture what it may be."""
    named_so = pictures.BROKEN if ending(name) in pictures.ENDINGS else NO_TEXT
    return f"{name} {known_kind(name) or named_so}"


def why_not(name: str, n_bytes: int, head: bytes = b"") -> str:
    """Say why a file cannot be attached, "" if nothing tells yet. head: how it begins, if known."""
    if kind := known_kind(name):
        return f"{name} {kind}"
    try:
        most_bytes = limit_bytes(name, head)
    except pictures.UnreadableError as error:
        return f"{name} {error}"
    return too_large(name, n_bytes, most_bytes) if n_bytes > most_bytes else ""


def tokens_about(name: str, n_bytes: int) -> int:
    """Guess how many tokens a text file is, 0 for what is none."""
    is_named_so = ending(name) != "pdf" and ending(name) not in pictures.ENDINGS
    return n_bytes // BYTES_PER_TOKEN if is_named_so and n_bytes <= LIMIT_BYTES else 0
