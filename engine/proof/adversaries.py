"""Drafters that know the answer, know nothing, or know it and say something else."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from engine.types import NO_DRAFT, Allowance, Draft, Picker, Step

Guess = Callable[[int, int], Sequence[int]]
"""(how many tokens of the answer are there, how many to draft) -> draft."""


class Scripted:
    """Drafts what `guess` says, whatever the context."""

    failure = ""
    decode_s = 0.0

    def __init__(self, name: str, guess: Guess) -> None:
        self.name = name
        self.members = (name,)
        self._guess = guess
        self._n_prompt = 0

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Remember where the answer begins."""
        self._n_prompt = len(context)

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Draft as the script says."""
        tokens = tuple(self._guess(len(context) - self._n_prompt, allowance.limit))
        return Draft(tokens, self.name, (1.0,) * len(tokens)) if tokens else NO_DRAFT

    def observe(self, step: Step) -> None:
        """Learn nothing."""


def oracle(answer: Sequence[int]) -> Scripted:
    """Drafts the answer itself."""
    return Scripted("oracle", lambda done, n: answer[done : done + n])


def garbage(n_vocab: int, seed: int) -> Scripted:
    """Drafts any tokens at all."""
    rng = random.Random(seed)
    return Scripted("garbage", lambda done, n: [rng.randrange(n_vocab) for _ in range(n)])


def all_reject(answer: Sequence[int], n_vocab: int) -> Scripted:
    """Drafts tokens of which each is wrong."""
    return Scripted(
        "all-reject", lambda done, n: [(t + 1) % n_vocab for t in answer[done : done + n]]
    )
