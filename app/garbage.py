"""Keeps Python's collector of cyclic garbage out of the way of a command's start and end, and of
the keys of the chat.

A full collection goes through every object, and takes a tenth of a second with all that the chat
imports; while an answer streams one would be due every second, and one more comes at the exit. In
the chat there is one in a pause instead: what has been closed there is garbage of this kind.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

YOUNG, MIDDLE, OLD = 2_000, 10, 500
"""When which generation is looked through."""
COMMAND = 50_000
"""How many objects more than went a command makes before any are looked through: all that it
imports is there to stay.
"""
SOME = 5
"""A pause is worth a full collection after so many looks through what is young."""
SOME_PER_S = 100
"""After so many for each second that the last full collection took, if that is more."""
PAUSE_S = 1.0
"""How long a pause has to be for a full collection."""
TIMES = 20
"""How many times as long as the last one took it has to be: with a chat of many hundred turns open
one takes half a second.
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


class Looks:
    """How often Python has looked through what is young; it does not count so in all versions."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Be told by Python that it begins or ends a look."""
        self.n += phase == "stop"


LOOKS = Looks()


class Sweeper:
    """Looks through everything in a pause, where enough was made since the last time.

    forget: called before, it lets go of what is kept to no purpose.
    """

    def __init__(self, forget: Callable[[], object]) -> None:
        if LOOKS not in gc.callbacks:
            gc.callbacks.append(LOOKS)
        self._forget = forget
        self._took_s, self._n_before = 0.0, LOOKS.n

    def sweep(self, pause_s: float) -> bool:
        """Do so if the pause has been long enough; tell whether."""
        is_worth_it = LOOKS.n - self._n_before >= max(SOME, SOME_PER_S * self._took_s)
        if not is_worth_it or pause_s < max(PAUSE_S, TIMES * self._took_s):
            return False
        begun = thread_time()
        self._forget()
        gc.collect()
        self._took_s, self._n_before = thread_time() - begun, LOOKS.n
        return True
