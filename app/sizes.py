"""Sizes as people read them: of files and disks in decimal units, as shops and the Hub write them,
of memory in binary ones; and counts.
"""

from __future__ import annotations

UNITS = ("B", "kB", "MB", "GB", "TB")


def size(n_bytes: float) -> str:
    """Write a number of bytes: 639 MB, 5.03 GB."""
    value, unit = float(n_bytes), UNITS[0]
    for unit in UNITS:
        if abs(value) < 999.5 or unit == UNITS[-1]:
            break
        value /= 1000
    if unit in ("B", "kB") or value >= 99.5:
        return f"{value:.0f} {unit}"
    return f"{value:.2f} {unit}" if value < 9.995 else f"{value:.1f} {unit}"


def memory_size(n_bytes: float) -> str:
    """Write a size of memory as people say it, where 16 GB are 16 * 2**30 bytes: 7.6 GB."""
    return f"{n_bytes / 2**30:.1f} GB"


def counted(n: int, noun: str) -> str:
    """Write how many there are of something: 1 chat, 2,000 chats."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
