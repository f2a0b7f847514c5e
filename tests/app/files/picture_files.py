"""Makes small pictures: whole ones as PNG and BMP, of other kinds what comes before the pixels."""

from __future__ import annotations

import struct
import zlib


def png(width: int = 2, height: int = 3, shade: int = 128) -> bytes:
    """Return a whole grey picture."""
    rows = b"".join(b"\x00" + bytes([shade] * width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def png_header(width: int, height: int) -> bytes:
    """Return the beginning of one, however large it says that it is."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header)


def _chunk(name: bytes, data: bytes) -> bytes:
    whole = name + data
    return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))


def bmp(width: int = 4, height: int = 2) -> bytes:
    """Return a picture whose rows go from the top down."""
    row = -(-width * 3 // 4) * 4
    header = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, row * height, 0, 0, 0, 0)
    head = b"BM" + struct.pack("<IHHI", 54 + row * height, 0, 0, 54)
    return head + header + bytes(row * height)


def old_bmp(width: int, height: int) -> bytes:
    """Return the beginning of a picture of OS/2."""
    return (
        b"BM" + struct.pack("<IHHI", 26, 0, 0, 26) + struct.pack("<IHHHH", 12, width, height, 1, 24)
    )


def jpeg(width: int, height: int, marker: int = 0xC0) -> bytes:
    """Return the beginning of a picture, with a comment and a filler before its size."""
    comment = b"\xff\xfe" + struct.pack(">H", 6) + b"\xff\xc0\x00\x00"
    size = struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + comment + b"\xff\xff" + bytes([marker]) + size


def gif(width: int, height: int) -> bytes:
    """Return the beginning of a picture."""
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(3)
