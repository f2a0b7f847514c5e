"""Threads for an engine whose every word is painted by a process that needs a core too."""

from __future__ import annotations

from pathlib import Path

import msgspec

from app.models.catalog import parts_of
from engine import PairSettings, count_cores, default_threads

SMALL_BYTES = 64 * 2**20
"""A target of this size makes tokens faster than they are painted; painting takes half a core then,
and a compute thread on that core keeps all others waiting."""


def leave_core_to_screen(pair: PairSettings) -> PairSettings:
    """Return the pair with a core left to the screen, if its target is small, nobody said how many
    threads there shall be, and there are no slow cores, which serve the screen well.
    """
    target = Path(pair.target)
    try:
        n_bytes = sum(target.with_name(part).stat().st_size for part in parts_of(target.name))
    except OSError:  # the engine says what is wrong with it
        return pair
    if pair.threads is not None or n_bytes > SMALL_BYTES or count_cores().slow:
        return pair
    return msgspec.structs.replace(pair, threads=max(1, default_threads() - 1))


def told_of_chat(pair: PairSettings, threads: int) -> str:
    """Say why the chat runs a pair with fewer threads than these; "" where it does not."""
    in_chat = leave_core_to_screen(pair).threads or threads
    if in_chat >= threads:
        return ""
    return (
        f"The chat runs this model with threads: {in_chat}, not {threads}: it is so small that "
        "painting its words needs a core too."
    )
