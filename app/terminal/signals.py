"""Ends that somebody else sends: SIGTERM, as `kill` does, and SIGHUP, as a window that is closed.

What is drawn has then to go, and the cursor to come back, as after Ctrl-C.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ending_like_ctrl_c() -> Iterator[None]:
    """Have such a signal raise KeyboardInterrupt here, once, and SystemExit in the end: 128 and its
    number. Of the main thread; a signal that is ignored, as by `nohup`, stays so.
    """
    came: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt

    deadly = [number for number in ENDS if signal.getsignal(number) == signal.SIG_DFL]
    for number in deadly:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)
        if came:
            raise SystemExit(128 + came[0]) from None
