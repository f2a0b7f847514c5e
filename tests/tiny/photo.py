"""JPEGs as a camera writes them, of grey squares, with a note of how the camera was held."""

from __future__ import annotations

import struct

import numpy as np

SIDE = 8
"""Pixels of a square's side."""


def photo(greys: np.ndarray, *segments: bytes) -> bytes:
    """Return a JPEG of [rows, columns] grey squares. segments: what stands at its beginning."""
    rows, columns = greys.shape
    frame = struct.pack(">BHHB", 8, rows * SIDE, columns * SIDE, 1) + bytes((1, 0x11, 0))
    direct = bytes((0x00, 0, 0, 0, 12, *bytes(12), *range(12)))  # twelve codes of four bits
    alternating = bytes((0x10, 1, *bytes(15), 0))  # one code of one bit: there is no more
    return b"".join(
        (
            b"\xff\xd8",
            *segments,
            segment(0xDB, b"\0" + bytes([SIDE] * SIDE**2)),
            segment(0xC0, frame),
            segment(0xC4, direct),
            segment(0xC4, alternating),
            segment(0xDA, bytes((1, 1, 0, 0, 63, 0))),
            _scan(greys),
            b"\xff\xd9",
        )
    )


def pixels(greys: np.ndarray) -> np.ndarray:
    """Return what such a JPEG decodes to: [height, width, 3] uint8."""
    large = greys.repeat(SIDE, 0).repeat(SIDE, 1).astype(np.uint8)
    return np.stack((large, large, large), 2)


def segment(marker: int, content: bytes) -> bytes:
    """Return a marker with what belongs to it."""
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def exif(orientation: int, order: str = ">", kind: int = 3) -> bytes:
    """Return the segment that says how the pixels lie. order: of its bytes, ">" or "<"."""
    width = struct.pack(f"{order}HHII", 0x0100, 4, 1, 640)
    lie = struct.pack(f"{order}HHIHH", 0x0112, kind, 1, orientation, 0)
    head = struct.pack(f"{order}HI", 42, 8)
    directory = struct.pack(f"{order}H", 2) + width + lie + bytes(4)
    return segment(0xE1, b"Exif\0\0" + {">": b"MM", "<": b"II"}[order] + head + directory)


def _scan(greys: np.ndarray) -> bytes:
    """Return the squares' greys, each as its difference from the one before."""
    bits, before = "", 128
    for grey in map(int, greys.ravel()):
        difference, before = grey - before, grey
        n = abs(difference).bit_length()
        value = difference if difference > 0 else difference + (1 << n) - 1
        bits += f"{n:04b}" + (f"{value:0{n}b}" if n else "") + "0"
    bits += "1" * (-len(bits) % 8)
    packed = int(bits, 2).to_bytes(len(bits) // 8, "big")
    return packed.replace(b"\xff", b"\xff\0")
