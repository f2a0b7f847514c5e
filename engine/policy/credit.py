"""What a draft model may lose in an answer before it is not asked any more. Pure.

What a drafter is worth is learnt from few steps, and half a dozen hard tokens make a good one look
useless. Where reading is dear it would not be asked again in that answer, for what it misses
meanwhile costs more than is saved. So each answer lends it up to half a plain step; while some of
that is left asking it takes nothing from what is saved (experience.py). It is charged with what was
really said, not with what was expected. An answer that loses all of it halves what the next one
lends, any other doubles that. Where answers are short, each lends its share of a long one.
"""

from __future__ import annotations

LENT, LEAST_LENT = 0.5, 0.0625
"""Plain steps that an answer lends at most and at least."""
LONG = 128.0
"""Tokens of an answer that lends all of it."""
MOST = 2.0
"""Plain steps that it adds up to with what the answer brought."""
NOTHING = 0.03
"""Plain steps that are as good as none: any rest, be it the least, is free for a whole step."""


class Credit:
    """One drafter's, in plain steps."""

    def __init__(self) -> None:
        self._lent = self._left = LENT
        self._was_lost = False

    @property
    def is_left(self) -> bool:
        """Whether any of it is left."""
        return self._left > NOTHING

    def asked(self, n_said: int, cost: float) -> None:
        """Take in a step that the drafter was asked in: the tokens it said, and its cost."""
        self._left = max(0.0, min(MOST, self._left + n_said - cost))
        self._was_lost = self._was_lost or not self.is_left

    def begin(self, length: float = LONG) -> None:
        """Begin an answer. length: the tokens that it is thought to get."""
        times = 0.5 if self._was_lost else 2.0
        self._lent = max(LEAST_LENT, min(LENT, times * self._lent))
        self._left = self._lent * min(1.0, length / LONG)
        self._was_lost = False
