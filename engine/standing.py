"""Whether a drafter whose guesses are free has earned that they are verified. Pure.

A draft that is wrong costs a wide step, and where rows are dear a few of them cost more than a
guess in an answer can bring back. How often guesses are right is learnt elsewhere (trust.py); but
drafts are chosen for what they promise, so those that promise too much are chosen most. So a
drafter has an account of what its drafts really brought, in plain steps. Once that is overdrawn,
its next drafts are only watched, which costs nothing: the text shows what verifying them would have
brought, and when that makes up for the loss, they are verified again.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST, LEAST = 6.0, -2.0
"""What the account holds at most, and at least: one good draft makes up for a bad series."""
CARRIED = 2.0
"""What of it another answer begins with, at most."""
MEMORY = 0.9
"""What is left of it at the next draft."""


class Standing:
    """One drafter's account."""

    def __init__(self) -> None:
        self._worth = 0.0
        self._watched: Sequence[int] = ()
        self._cost = 0.0
        self._n_right = 0

    @property
    def is_good(self) -> bool:
        """Whether its drafts are to be verified."""
        return self._worth >= 0.0

    def begin(self) -> None:
        """Begin an answer, which may be about something else."""
        self._worth = min(self._worth, CARRIED)
        self._watched = ()

    def verified(self, n_said: int, cost: float) -> None:
        """Take in a step that verified a draft: the tokens it said, and its cost in plain steps."""
        self._watched = ()
        self._worth = max(LEAST, min(MOST, MEMORY * self._worth + n_said - cost))

    def watch(self, tokens: Sequence[int], cost: float) -> None:
        """Watch a draft that verifying would cost so much, unless an earlier one is."""
        if not self._watched:
            self._watched, self._cost, self._n_right = tokens, cost, 0

    def said(self, tokens: Sequence[int]) -> None:
        """Compare the watched draft with the tokens that were said next."""
        for token in tokens if self._watched else ():
            if self._n_right == len(self._watched) or self._watched[self._n_right] != token:
                self.verified(self._n_right + 1, self._cost)
                return
            self._n_right += 1
