"""Which way up a photo is: what a camera that was turned notes in a JPEG (Exif 2.32, tag 0x0112).

The pixels are stored as the sensor lay; who shows them turns them. What cannot be understood counts
as upright, as viewers have it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

UPRIGHT = 1
SIDEWAYS = frozenset((5, 6, 7, 8))
"""Orientations of which width and height change places."""
FROM_THE_RIGHT = frozenset((2, 3, 6, 7))
FROM_BELOW = frozenset((3, 4, 7, 8))

APP1 = 0xE1
START_OF_SCAN = 0xDA
END = 0xD9
ALONE = frozenset((0x01, *range(0xD0, 0xD8)))
"""Markers that nothing belongs to."""
HEAD = b"Exif\0\0"
BYTE_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}
TAG = 0x0112
"""Of the entry that has the orientation."""
SHORT = 3
"""The type of a number of 16 bits."""


def orientation_of(content: bytes) -> int:
    """Return how the pixels of a picture file lie, 1 to 8; 1 is upright."""
    if not content.startswith(b"\xff\xd8\xff"):
        return UPRIGHT
    try:
        app1 = (body for marker, body in jpeg_segments(content) if marker == APP1)
        found = next((body for body in app1 if body.startswith(HEAD)), b"")
        return _orientation(found[len(HEAD) :])
    except (struct.error, IndexError):
        return UPRIGHT


def upright(pixels: npt.NDArray[np.uint8], orientation: int) -> npt.NDArray[np.uint8]:
    """Return a view of pixels that lie so, [height, width, 3], turned and mirrored as they should
    be seen.
    """
    if orientation in SIDEWAYS:
        pixels = pixels.swapaxes(0, 1)
    if orientation in FROM_THE_RIGHT:
        pixels = pixels[:, ::-1]
    if orientation in FROM_BELOW:
        pixels = pixels[::-1]
    return pixels


def jpeg_segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the markers of a JPEG up to the pixels, each with what belongs to it. What is no marker
    ends it. Raises IndexError or struct.error where the file is cut short.
    """
    at = 2
    while content[at] == 0xFF and (marker := content[at + 1]) not in (START_OF_SCAN, END):
        if marker == 0xFF:
            at += 1
        elif marker in ALONE:
            yield marker, b""
            at += 2
        else:
            (length,) = struct.unpack_from(">H", content, at + 2)
            yield marker, content[at + 4 : at + 2 + length]
            at += 2 + max(2, length)


def _orientation(tiff: bytes) -> int:
    """Return what the first directory says. Raises struct.error where it is cut short."""
    order = BYTE_ORDERS.get(tiff[:4])
    if order is None:
        return UPRIGHT
    (start,) = struct.unpack_from(f"{order}I", tiff, 4)
    (n_entries,) = struct.unpack_from(f"{order}H", tiff, start)
    for at in range(start + 2, start + 2 + 12 * n_entries, 12):
        tag, kind, n, value = struct.unpack_from(f"{order}HHIH", tiff, at)
        if (tag, kind, n) == (TAG, SHORT, 1):
            return int(value) if 1 <= value <= 8 else UPRIGHT
    return UPRIGHT
