"""What a drafter whose guesses are free may stake on having them verified. Pure.

A wrong draft costs a wide step, and where rows are dear a few of them cost more than good ones can
bring back in an answer. How often guesses are right is learnt elsewhere (trust.py); but drafts are
chosen for what they promise, so those that promise too much are chosen most. So what drafts really
brought, in plain steps, goes into a purse, and no draft is verified that could lose more than is in
it. Such a draft is only watched, which costs nothing: the text shows what verifying it would have
brought, and the purse takes that in alike.
"""

from __future__ import annotations

from collections.abc import Sequence

BEGINNING = 3.0
"""Plain steps that are in it at first; another answer begins with no more, for it may be about
something else."""
MOST = 20.0


class Purse:
    """One drafter's."""

    def __init__(self) -> None:
        self._held = BEGINNING
        self._watched: Sequence[int] = ()
        self._cost = 0.0
        self._n_right = 0

    def begin(self) -> None:
        """Begin an answer."""
        self._held = min(self._held, BEGINNING)
        self._watched = ()

    def affords(self, cost: float) -> bool:
        """Whether a step of this cost, in plain steps, may turn out to say a single token."""
        return cost - 1.0 <= self._held

    def verified(self, n_said: int, cost: float) -> None:
        """Take in a step that verified a draft: the tokens it said, and its cost in plain steps."""
        self._watched = ()
        self._held = max(0.0, min(MOST, self._held + n_said - cost))

    def watch(self, tokens: Sequence[int], cost: float) -> None:
        """Watch a draft that verifying would cost so much, unless an earlier one still is."""
        if not self._watched:
            self._watched, self._cost, self._n_right = tokens, cost, 0

    def said(self, tokens: Sequence[int]) -> None:
        """Compare the watched draft with the tokens that were said next."""
        for token in tokens if self._watched else ():
            if self._n_right == len(self._watched) or self._watched[self._n_right] != token:
                self.verified(self._n_right + 1, self._cost)
                return
            self._n_right += 1
