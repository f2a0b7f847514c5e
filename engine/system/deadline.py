"""Interrupts foreign code that runs for too long, where the system and the thread allow it.

Python interrupts between two of its operations only. What goes on in one of them, of which other
threads see as little as the main one, ends the process by the signal OVERDUE: process/child.py says
what of.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import TemplateError

AGAIN_S = 0.2
"""What goes on all the same is interrupted again after so long."""
GRACE_S = 1.0
"""Computing time that it then has left."""
OVERDUE = signal.SIGPROF if hasattr(signal, "SIGPROF") else None
"""What the system ends a process by whose computing time is over."""


class _Expired(BaseException):
    """Time is over. No Exception: a template engine catches those and goes on."""


@contextmanager
def deadline(seconds: float, late: str) -> Iterator[None]:
    """Interrupt the block after this long. Raises TemplateError, which says `late`."""
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can:
        yield
        return
    is_over = False

    def expire(*_: object) -> None:
        if not is_over:
            raise _Expired

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    signal.setitimer(signal.ITIMER_PROF, seconds + GRACE_S)
    try:
        try:
            yield
        finally:
            is_over = True
    except _Expired:
        raise TemplateError(late) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
