"""Pictures: what their first bytes say of them, and the folder that keeps those of the chats.

Known are the kinds that the engine reads: PNG, JPEG, BMP and GIF, of which the first image counts.
Nothing is decoded here. A picture is kept once, under the sha256 of its bytes, so that it stays
with its chats when the person's own file is moved or removed. Which ones are still wanted is the
history's matter (app/history).
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from app.private_file import write_private
from engine import SIDEWAYS, jpeg_segments, orientation_of

LIMIT_BYTES = 20_000_000
MOST_PIXELS = 50_000_000
"""Once decoded, a pixel takes three bytes of the engine's memory, and more on the way."""
LEFT_OVER_S = 86_400.0
"""So old is a picture that no chat has, because its question was never asked, when it goes."""
YOUNG_S = 300.0
"""So young is a picture that another window's question may be about to want."""

ENDING: Mapping[str, str] = {"PNG": "png", "JPEG": "jpg", "BMP": "bmp", "GIF": "gif"}
"""The ending that a kept picture of each kind has."""
ENDINGS = frozenset({*ENDING.values(), "jpeg"})
OTHER_ENDINGS = frozenset(("webp", "tif", "tiff", "heic", "heif", "avif", "ico", "jxl", "psd"))
"""Of pictures that are not read."""

MAGIC = {b"\x89PNG\r\n\x1a\n": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF87a": "GIF", b"GIF89a": "GIF"}
OTHER_MAGIC = {b"II*\x00": "TIFF", b"MM\x00*": "TIFF", b"8BPS\x00\x01": "Photoshop"}
OTHER_BOXES = {b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIC", b"avif": "AVIF"}
BMP_HEADERS = {12, 40, 52, 56, 64, 108, 124}
"""Lengths of what says a BMP's size: `BM` alone may begin a text."""
HEAD_BYTES = 32
"""Of a file: enough for `kind_of`."""
JPEG_SIZES = {0xC0, 0xC1, 0xC2}
RARE_JPEG_SIZES = {*range(0xC3, 0xD0)} - {0xC4, 0xC8, 0xCC}

BROKEN = "is no picture that can be read: it is damaged, or something else."
RARE = "is a JPEG of a rare kind: save it as PNG and attach that."
OTHER = "is a picture of a kind that is not read: save it as PNG or JPEG and attach that."
HUGE = "has {n} million pixels, at most {most} can be read: make it smaller and attach that."


class UnreadableError(Exception):
    """It is no picture that can be sent; `str` says why, to stand behind the file's name."""


class ChangedError(Exception):
    """The file is another by now."""


def kind_of(content: bytes) -> str:
    """Return what kind of picture this is, "" if it is none. Raises UnreadableError for a picture
    of a kind that is not read.
    """
    for magic, kind in MAGIC.items():
        if content.startswith(magic):
            return kind
    if content.startswith(b"BM") and int.from_bytes(content[14:18], "little") in BMP_HEADERS:
        return "BMP"
    other = next((kind for magic, kind in OTHER_MAGIC.items() if content.startswith(magic)), "")
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        other = "WebP"
    if content[4:8] == b"ftyp":
        other = OTHER_BOXES.get(content[8:12], "")
    if other:
        raise UnreadableError(f"is a {other} picture: save it as PNG or JPEG and attach that.")
    return ""


def pixels_of(content: bytes, kind: str) -> tuple[int, int]:
    """Return width and height, as it is seen. Raises UnreadableError."""
    try:
        width, height = _SIZES[kind](content)
    except (struct.error, IndexError):
        raise UnreadableError(BROKEN) from None
    if width < 1 or height < 1:
        raise UnreadableError(BROKEN)
    if width * height > MOST_PIXELS:
        most = MOST_PIXELS // 10**6
        raise UnreadableError(HUGE.format(n=-(-width * height // 10**6), most=most))
    return (height, width) if orientation_of(content) in SIDEWAYS else (width, height)


def _number(form: str, content: bytes, at: int) -> int:
    return int(struct.unpack_from(form, content, at)[0])


def _png(content: bytes) -> tuple[int, int]:
    return _number(">I", content, 16), _number(">I", content, 20)


def _gif(content: bytes) -> tuple[int, int]:
    return _number("<H", content, 6), _number("<H", content, 8)


def _bmp(content: bytes) -> tuple[int, int]:
    if _number("<I", content, 14) == min(BMP_HEADERS):
        return _number("<H", content, 18), _number("<H", content, 20)
    return _number("<i", content, 18), abs(_number("<i", content, 22))  # below 0: from the top


def _jpeg(content: bytes) -> tuple[int, int]:
    for marker, body in jpeg_segments(content):
        if marker in RARE_JPEG_SIZES:
            raise UnreadableError(RARE)
        if marker in JPEG_SIZES:
            return _number(">H", body, 3), _number(">H", body, 1)
    raise UnreadableError(BROKEN)


_SIZES: Mapping[str, Callable[[bytes], tuple[int, int]]] = {
    "PNG": _png,
    "JPEG": _jpeg,
    "BMP": _bmp,
    "GIF": _gif,
}


def sha256_of(content: bytes) -> str:
    """Return what names a picture."""
    return hashlib.sha256(content).hexdigest()


class Album:
    """The folder of the pictures of all chats. It need not exist.

    A picture is here before the message that wants it is written: until then it is awaited, and not
    removed for the sake of another message. Another window's is known by its youth, unless nobody
    but this one has asked for it lately. spared: those that are to be removed once they are no
    longer young. May be used from several threads.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spared: frozenset[str] = frozenset()
        self._awaited: set[str] = set()
        self._own: dict[str, float] = {}  # the time that a file has which nobody else has touched
        self._lock = threading.Lock()

    def path_of(self, id: str, kind: str) -> Path:
        """Return where a picture is, if it is kept."""
        return self.folder / f"{id}.{ENDING.get(kind, 'none')}"

    def keep(self, source: Path, id: str, kind: str) -> Path:
        """Have a picture here; return where. Raises OSError, and ChangedError where the source is
        not what it was when it was looked at.
        """
        path = self.path_of(id, kind)
        with self._lock:
            before = _touched_at(path)
            if not self._has(path, id):
                content = source.read_bytes()
                if sha256_of(content) != id:
                    raise ChangedError
                write_private(path, content)
            self._await(path, id, before)
        return path

    def add(self, content: bytes, kind: str) -> None:
        """Keep a picture that came with a chat. Raises OSError."""
        id = sha256_of(content)
        path = self.path_of(id, kind)
        with self._lock:
            before = _touched_at(path)
            if not self._has(path, id):
                write_private(path, content)
            self._await(path, id, before)

    def settle(self, ids: Collection[str]) -> None:
        """These have the messages that they were awaited by."""
        with self._lock:
            self._awaited.difference_update(ids)

    def remove(self, ids: Collection[str], now: float) -> None:
        """Remove pictures for good, but those that another window may be about to want: they are
        spared, in the place of what was spared before. Raises OSError.
        """
        spared = set()
        with self._lock:
            for path in self._files():
                if path.stem not in ids or path.stem in self._awaited:
                    continue
                touched_at = path.stat().st_mtime
                if touched_at == self._own.get(path.stem) or now - touched_at > YOUNG_S:
                    path.unlink(missing_ok=True)
                else:
                    spared.add(path.stem)
            self.spared = frozenset(spared)

    def sweep(self, wanted: Collection[str], now: float) -> None:
        """Remove what is left over: no chat has it, and it is old. Raises OSError."""
        with self._lock:
            for path in self._files():
                if path.stem not in wanted and now - path.stat().st_mtime > LEFT_OVER_S:
                    path.unlink(missing_ok=True)

    def _await(self, path: Path, id: str, before: float) -> None:
        """Await the message of a picture that is here. before: when it was touched last."""
        touched_at = _touched_at(path)
        if touched_at - before > YOUNG_S or before == self._own.get(id):
            self._own[id] = touched_at
        else:
            self._own.pop(id, None)
        self._awaited.add(id)

    def _has(self, path: Path, id: str) -> bool:
        """Whether a picture is here, and whole; one that is wanted again is no longer old."""
        with suppress(OSError):
            if path.is_file() and sha256_of(path.read_bytes()) == id:
                os.utime(path)
                return True
        return False

    def _files(self) -> Iterator[Path]:
        if self.folder.is_dir():
            yield from self.folder.iterdir()


def _touched_at(path: Path) -> float:
    """Return when a file was written, or kept anew; long ago if there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
