"""How long a download waits, and how often it tries again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import PullError


@dataclass(frozen=True, slots=True)
class Patience:
    """connect_s, read_s: without a sign of life; tries: in a row that bring nothing; pause_s
    doubles from first_pause_s to most_pause_s; longest_wait_s: what a server may ask for;
    slowest_bps over slow_s seconds is too slow: then a new connection is tried. answer_s: how long
    a Hub may be silent that is asked about a model, all tries together; nowhere_s: how long it is
    asked again while no network leads there; on_silence: called from another thread when a question
    has had no answer of use for silent_s, with what the Hub answers instead, "" if nothing; sleep:
    waits so many seconds before it is asked again, and may raise what ends the wait.
    """

    connect_s: float = 10.0
    read_s: float = 30.0
    tries: int = 6
    first_pause_s: float = 0.5
    most_pause_s: float = 8.0
    longest_wait_s: float = 120.0
    slowest_bps: float = 1024.0
    slow_s: float = 60.0
    answer_s: float = 20.0
    nowhere_s: float = 2.0
    silent_s: float = 3.0
    on_silence: Callable[[str], None] = lambda answers: None
    sleep: Callable[[float], None] = time.sleep

    def pause_s(self, turn: int) -> float:
        """Return how long to wait after try number `turn`, from 0 on."""
        return float(min(self.most_pause_s, self.first_pause_s * 2**turn))

    def after(self, retry_after: str | None, turn: int) -> float:
        """Return how long to wait where the server may have said so. Raises PullError if that is
        longer than anybody would wait.
        """
        if retry_after is None or not retry_after.strip().isdecimal():
            return self.pause_s(turn)
        asked = float(retry_after)
        if asked > self.longest_wait_s:
            raise PullError(
                f"The server has had too many requests and asks to wait {asked:.0f} s. "
                "Try again then."
            )
        return asked
