"""What was accepted before, kept on disk per tokenizer, for a lookup to draft from.

One file for each tokenizer, bounded in size, private to its owner: a header (magic, version, CRC-32
of the rest), then token ids as little-endian uint32, with a separator between texts. A file is only
ever replaced by a whole new one, so whoever reads it, whenever the writer died, finds the old texts
or the new ones. Writers take turns by a lock on the folder. A memory can only make drafts better:
a damaged file holds nothing, a text that cannot be written is not kept, and neither is an error.

Knows no vocabulary and no drafter.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import struct
import sys
import time
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.system.whole_file import UNFINISHED, write_whole

LARGEST = 131_072
"""Tokens kept per tokenizer, separators included."""
MIN_TEXT = 8
"""Shorter texts, in tokens, are not worth keeping."""

KEY_LETTERS = 16
MAGIC = b"slipmem\n"
VERSION = 1
HEADER = struct.Struct("<8sII")
SEPARATOR = 0xFFFF_FFFF
ID_BYTES = 4
MOST_BYTES = HEADER.size + LARGEST * ID_BYTES
SUFFIX = ".tokens"
NAME = re.compile("[0-9a-f]+" + re.escape(SUFFIX))
UNFINISHED_NAME = re.compile(f"\\.{NAME.pattern}.*{re.escape(UNFINISHED)}")
"""Of a file whose writer was killed: while the folder is locked, nobody is writing one."""
LOCK = "lock"
LOCK_TRIES = 500
LOCK_PAUSE_S = 0.01

Text = list[int]


class Memory:
    """One tokenizer's texts in a folder. Nothing is read or made before a method is called.

    tokenizer: its key, a hex digest (`tokenizer_key`). Raises ValueError if it is none.
    """

    def __init__(self, folder: Path, tokenizer: str) -> None:
        if not re.fullmatch("[0-9a-f]+", tokenizer):
            raise ValueError(f"A tokenizer's key is a hex digest, found {tokenizer!r}.")
        self._folder = folder
        self._file = folder / (tokenizer + SUFFIX)

    def texts(self) -> list[Text]:
        """Return the texts, oldest first; none if there is no file that can be read."""
        return _readable(self._file)

    def add(self, tokens: Sequence[int]) -> bool:
        """Keep a text as the newest, drop the oldest beyond LARGEST, say whether it is kept.

        tokens: ids under 2**32 - 1; of more than LARGEST the last are kept. A text that is kept
        already moves to the newest place. When False, for a text too short or a fault of the disk,
        what was kept before is as it was.
        """
        text = list(tokens[-LARGEST:])
        if len(text) < MIN_TEXT:
            return False
        try:
            _make_private(self._folder)
            with _locked(self._folder):
                kept = _read(self._file)
                if kept[-1:] != [text]:
                    _replace(self._file, _newest([*(t for t in kept if t != text), text]))
        except OSError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Held:
    """What a folder's memories hold together. tokens: without separators."""

    tokenizers: int
    texts: int
    tokens: int
    size_bytes: int


def tokenizer_key(spellings: Iterable[bytes]) -> str:
    """Return the key of the tokenizer whose tokens, in the order of their ids, are spelt so."""
    digest = hashlib.sha256()
    for spelling in spellings:
        digest.update(struct.pack("<I", len(spelling)) + spelling)
    return digest.hexdigest()[:KEY_LETTERS]


def held(folder: Path) -> Held:
    """Count what the folder's memories hold. Raises OSError if it cannot be listed."""
    files = _files(folder, NAME)
    texts = [text for file in files for text in _readable(file)]
    size_bytes = sum(file.stat().st_size for file in files)
    return Held(len(files), len(texts), sum(map(len, texts)), size_bytes)


def clear(folder: Path) -> int:
    """Remove every memory of the folder and return how many. Raises OSError if it cannot."""
    if not folder.exists():
        return 0
    with _locked(folder):
        files = _files(folder, NAME)
        _remove([*_files(folder, UNFINISHED_NAME), *files])
    return len(files)


def _files(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """Return the files in the folder that are called so."""
    try:
        return sorted(folder / found for found in os.listdir(folder) if name.fullmatch(found))
    except FileNotFoundError:
        return []


def _newest(texts: list[Text]) -> list[Text]:
    """Return the newest of the texts that fit together, separators between them."""
    room = LARGEST + 1
    for i in reversed(range(len(texts))):
        room -= len(texts[i]) + 1
        if room < 0:
            return texts[i + 1 :]
    return texts


def _readable(file: Path) -> list[Text]:
    """Return the file's texts, none if it cannot be read."""
    try:
        return _read(file)
    except OSError:
        return []


def _read(file: Path) -> list[Text]:
    """Return the file's texts, none if it is missing, damaged or not ours. Raises OSError."""
    try:
        with file.open("rb") as opened:
            found = opened.read(MOST_BYTES)  # of a larger file this fails the checksum
    except FileNotFoundError:
        return []
    payload = found[HEADER.size :]
    if len(payload) % ID_BYTES or found[: HEADER.size] != _head(payload):
        return []
    ids = array("I", payload)
    if sys.byteorder == "big":
        ids.byteswap()
    return _texts(ids)


def _texts(ids: array[int]) -> list[Text]:
    """Split ids at the separators."""
    ids.append(SEPARATOR)
    texts, begin = [], 0
    while begin < len(ids):
        end = ids.index(SEPARATOR, begin)
        if end > begin:
            texts.append(ids[begin:end].tolist())
        begin = end + 1
    return texts


def _replace(file: Path, texts: list[Text]) -> None:
    """Put a file of these texts in the place of the old one, or raise OSError and leave that."""
    ids = array("I")
    for text in texts:
        if ids:
            ids.append(SEPARATOR)
        ids.extend(text)
    if sys.byteorder == "big":
        ids.byteswap()
    payload = ids.tobytes()
    _remove(_files(file.parent, UNFINISHED_NAME))
    write_whole(file, _head(payload) + payload)


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _head(payload: bytes) -> bytes:
    return HEADER.pack(MAGIC, VERSION, zlib.crc32(payload))


def _make_private(folder: Path) -> None:
    """Make the folder if it is missing, and let nobody but its owner in."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which ends with its process. Raises OSError if it stays taken.

    The lock is a file of its own that is never removed: whoever waits must wait for the same one.
    """
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        for _ in range(LOCK_TRIES):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(LOCK_PAUSE_S)
        else:
            raise TimeoutError(errno.ETIMEDOUT, "another process has had it locked for too long")
        yield
    finally:
        os.close(descriptor)
