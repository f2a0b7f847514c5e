"""Keeps Python's collector of cyclic garbage out of the way of the chat's start and of the keys.

A full collection goes through every object, and takes a tenth of a second with all that the chat
imports; while an answer streams one would be due every second.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG, MIDDLE, OLD = 2_000, 10, 500
"""When which generation is looked through."""


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
