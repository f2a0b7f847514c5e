"""What a drafter that did pay may spend on reading what it has missed since. Pure.

Where reading is dear, what is saved for asking anew never catches up with what is missed meanwhile,
and a drafter that an unlucky stretch ended would not be asked again in that answer. So a share of
what it brought is kept for that, and spent after a while; the while doubles with each time in vain.
"""

from __future__ import annotations

SHARE, MOST = 0.1, 8.0
"""The part of what asking brought that is kept, and plain steps that it adds up to."""
FIRST_GAP = 24
"""Steps without the drafter after which it is spent."""


class Earnings:
    """One drafter's, in plain steps."""

    def __init__(self) -> None:
        self._held = 0.0
        self._gap = FIRST_GAP

    def begin(self) -> None:
        """Begin an answer."""
        self._gap = FIRST_GAP

    def afford(self, cost: float, gap: int) -> bool:
        """Whether it may be asked for this cost, after a gap of so many steps."""
        return gap >= self._gap and cost <= self._held

    def earned(self, brought: float) -> None:
        """Take in what asking it brought while it paid."""
        self._held = min(MOST, self._held + SHARE * max(0.0, brought))
        self._gap = FIRST_GAP

    def spent(self, cost: float) -> None:
        """Take in that it was asked from this."""
        self._held -= cost
        self._gap *= 2
