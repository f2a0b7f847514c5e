"""Keeps Python's collector of cyclic garbage out of the way of a command's start and end, and of
the keys of the chat.

A full collection goes through every object, and takes a tenth of a second with all that the chat
imports; while an answer streams one would be due every second, and one more comes at the exit.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG, MIDDLE, OLD = 2_000, 10, 500
"""When which generation is looked through."""
COMMAND = 50_000
"""How many objects more than went a command makes before any are looked through: all that it
imports is there to stay.
"""


def sparing() -> None:
    """Collect rarely while a command runs, and nothing as it ends: its memory goes with it."""
    gc.set_threshold(COMMAND, MIDDLE, OLD)
    atexit.register(gc.freeze)


@contextmanager
def spared() -> Iterator[None]:
    """Collect nothing while the chat is put together; from then on leave what is there alone, and
    look through the rest rarely.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG, MIDDLE, OLD)
        gc.enable()
