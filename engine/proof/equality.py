"""Seeded equality: with one seed, every drafter and draft length says what plain decoding says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from engine.cache.tokens import common_prefix
from engine.proof.answers import QUESTIONS, Said
from engine.proof.messages import Comparison

TEMPERATURES = (0.0, 0.3, 0.8, 1.2)
DRAFT_LENGTHS: tuple[int | None, ...] = (None, *range(1, 17))
"""None is the policy's own."""

MOST_DIFFERENCES = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer to compare."""

    question: int
    temperature: float
    length: int | None


def cells(seed: int) -> list[Cell]:
    """Return all cells in random order, every temperature as often as any other at all times."""
    rng = random.Random(seed)
    by_temperature = [
        [Cell(q, t, n) for q in range(len(QUESTIONS)) for n in DRAFT_LENGTHS] for t in TEMPERATURES
    ]
    for group in by_temperature:
        rng.shuffle(group)
    return [cell for together in zip(*by_temperature, strict=True) for cell in together]


@dataclass(slots=True)
class _Tally:
    answers: int = 0
    equal: int = 0
    at_near_ties: int = 0
    different: int = 0
    tokens: int = 0
    accepted: int = 0
    tested: int = 0


@dataclass(slots=True)
class Tallies:
    """What comparing answers with plain decoding's found, by drafter."""

    differences: list[str] = field(default_factory=list)
    _by_drafter: dict[str, _Tally] = field(default_factory=dict)

    def compare(self, drafter: str, plain: Said, said: Said, cell: Cell) -> None:
        """Count one answer."""
        tally = self._by_drafter.setdefault(drafter, _Tally())
        n = common_prefix(plain.tokens, said.tokens)
        tally.answers += 1
        tally.tokens += n
        tally.accepted += said.accepted
        tally.tested += said.tested
        if plain.tokens == said.tokens:
            tally.equal += 1
        elif n in plain.near_ties or n in said.near_ties:
            tally.at_near_ties += 1
        else:
            tally.different += 1
            self.describe(
                f"{drafter}, draft length {cell.length or 'auto'}, temperature {cell.temperature}, "
                f"question {cell.question + 1}: token {n} is {_at(said.tokens, n)}, plain "
                f"decoding's {_at(plain.tokens, n)}"
            )

    def describe(self, difference: str) -> None:
        """Keep the first few differences in words."""
        if len(self.differences) < MOST_DIFFERENCES:
            self.differences.append(difference)

    def comparisons(self) -> list[Comparison]:
        """Return what was found."""
        return [
            Comparison(drafter=drafter, **asdict(tally))
            for drafter, tally in self._by_drafter.items()
        ]


def _at(tokens: Sequence[int], n: int) -> str:
    return str(tokens[n]) if n < len(tokens) else "missing"
