"""The steps of an answer as they are kept: packed, and bounded in size and number.

They are for looking at alone (the token X-ray). What cannot be understood is as good as not kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from app.history.figures import UNREADABLE
from engine import TracedStep

MOST_ANSWERS = 1000
"""Of these, the last ones, steps are kept."""
MOST_BYTES = 128 * 1024
"""Packed, of one answer: some five thousand steps; of a longer one none are kept."""
MOST_UNPACKED = 64 * MOST_BYTES


def pack_steps(steps: Sequence[TracedStep]) -> bytes:
    """Pack steps; b"" where there are none, or too many to be kept."""
    packed = zlib.compress(msgspec.msgpack.encode(steps)) if steps else b""
    return packed if len(packed) <= MOST_BYTES else b""


def unpack_steps(packed: bytes) -> list[TracedStep]:
    """Return the steps."""
    try:
        raw = zlib.decompressobj().decompress(packed, MOST_UNPACKED)
        return msgspec.msgpack.decode(raw, type=list[TracedStep]) if raw else []
    except (zlib.error, *UNREADABLE):
        return []
