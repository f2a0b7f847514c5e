"""Batches of packed chats.

Contract: `Batches.at(step)` is a pure function of the seed and the step's number. Chats are packed
into rows; a chat attends to itself alone and its positions start at 0. Numbers only, as lists:
it knows nothing about tensors.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from phrasing import Phrasing, Turn
from recipe import CONTEXT, LONG_EVERY, SEED, SHORT_ROW, TOKENS_PER_STEP

Draw = Callable[[random.Random], Turn]


class TurnCoder(Protocol):
    """Turns a question and its answer into token ids and a flag for each that is learned."""

    pad: int

    def turn(self, question: str, answer: str) -> tuple[list[int], list[bool]]: ...


@dataclass(slots=True)
class Row:
    """One packed row; `chats` numbers the chat of each token, `learned` flags what is predicted."""

    tokens: list[int]
    positions: list[int]
    chats: list[int]
    learned: list[bool]

    def add(self, tokens: list[int], learned: list[bool]) -> None:
        """Append one chat."""
        number = self.chats[-1] + 1 if self.chats else 0
        self.tokens += tokens
        self.positions += range(len(tokens))
        self.chats += [number] * len(tokens)
        self.learned += learned

    def fill(self, length: int, pad: int) -> None:
        """Pad to a length; padding is a chat of its own that nothing is learned from."""
        missing = length - len(self.tokens)
        if missing:
            self.add([pad] * missing, [False] * missing)


@dataclass(frozen=True, slots=True)
class Batches:
    """The endless, addressable stream of training batches."""

    phrasing: Phrasing
    coder: TurnCoder
    loose_from: int
    seed: int = SEED

    def at(self, step: int) -> list[Row]:
        """Return the rows of one step: mostly many short ones, sometimes a few of full context."""
        rng = random.Random(f"{self.seed}/{step}")
        draw = self.phrasing.loose_turn if step >= self.loose_from else self.phrasing.turn
        length = CONTEXT if step % LONG_EVERY == LONG_EVERY - 1 else SHORT_ROW
        return [self._row(length, draw, rng) for _ in range(TOKENS_PER_STEP // length)]

    def _row(self, length: int, draw: Draw, rng: random.Random) -> Row:
        row = Row([], [], [], [])
        misses = 0
        while misses < 3:
            tokens, learned = self._chat(length - len(row.tokens), _turns(length, rng), draw, rng)
            misses += not tokens
            if tokens:
                row.add(tokens, learned)
        row.fill(length, self.coder.pad)
        return row

    def _chat(
        self, room: int, turns: int, draw: Draw, rng: random.Random
    ) -> tuple[list[int], list[bool]]:
        """Return a chat of at most `turns` turns that fits the room; empty where none does."""
        tokens: list[int] = []
        learned: list[bool] = []
        for _ in range(turns):
            more, flags = self.coder.turn(*draw(rng))
            if len(tokens) + len(more) > room:
                break
            tokens += more
            learned += flags
        return tokens, learned


def _turns(length: int, rng: random.Random) -> int:
    """Draw how many questions a chat has: mostly one, and long chats only in long rows."""
    if length == CONTEXT and rng.random() < 0.7:
        return rng.randint(5, 40)
    return rng.choices((1, 2, 3, 4), (70, 15, 9, 6))[0]
