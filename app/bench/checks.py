"""Whether an answer is one that a speed may be taken from (pure).

A model that repeats itself is easy to draft for, and a short answer says little: both flatter or
blur a benchmark. And a drafter must not change one token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

import msgspec

from app.bench.result import Answer

GRAM = 4
FEWEST_DISTINCT = 0.5
FEWEST_TOKENS = 32
MOST_IN_FIRST_STEP = 0.2

CheckKind = Literal["differs", "near-tie", "loops", "short", "first step"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with some of a row's answers. said: in words."""

    kind: CheckKind
    answers: int
    said: str


def distinct_share(tokens: Sequence[int]) -> float:
    """Return how many different 4-grams there are over how many there are; 1.0 without any."""
    grams = [tuple(tokens[i : i + GRAM]) for i in range(len(tokens) - GRAM + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


def parts_at(tokens: Sequence[int], plain: Sequence[int]) -> int | None:
    """Return the first position where the two differ; None if they are the same."""
    if list(tokens) == list(plain):
        return None
    pairs = zip(tokens, plain, strict=False)
    shorter = min(len(tokens), len(plain))
    return next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), shorter)


def at_near_tie(position: int | None, *near_ties: Collection[int]) -> bool:
    """Whether one of the answers reported a near-tie at the position where they part."""
    return position is not None and any(position in known for known in near_ties)


def checks_of(answers: Sequence[Answer], must_equal: bool) -> Iterable[Check]:
    """Yield what these answers do not stand up to."""
    of = len(answers)

    def check(
        kind: CheckKind, found: list[Answer], said: Callable[[list[Answer]], str]
    ) -> Iterable[Check]:
        if found:
            words = f"{said(found)}: {len(found)} of {of} answers"
            yield Check(kind=kind, answers=len(found), said=words)

    parted = [a for a in answers if a.parts_at is not None and must_equal]
    yield from check("differs", [a for a in parted if not a.at_near_tie], _said_differs)
    yield from check("near-tie", [a for a in parted if a.at_near_tie], _said_near_tie)
    looping = [a for a in answers if a.distinct < FEWEST_DISTINCT]
    yield from check("loops", looping, _said_loops)
    short = [a for a in answers if a.output_tokens < FEWEST_TOKENS]
    yield from check("short", short, _said_short)
    yield from check("first step", list(filter(_is_mostly_first_step, answers)), _said_first_step)


def _said_differs(found: list[Answer]) -> str:
    places = ", ".join(str(answer.parts_at) for answer in found[:3])
    return f"not plain's tokens, from token {places} on, and that is no near-tie"


def _said_near_tie(found: list[Answer]) -> str:
    return f"parts from plain's at a near-tie, token {found[0].parts_at}"


def _said_loops(found: list[Answer]) -> str:
    worst = min(answer.distinct for answer in found)
    return f"repeats itself, down to {worst * 100:.0f} % distinct 4-grams"


def _said_short(found: list[Answer]) -> str:
    shortest = min(answer.output_tokens for answer in found)
    return f"shorter than {FEWEST_TOKENS} tokens, down to {shortest}"


def _is_mostly_first_step(answer: Answer) -> bool:
    return answer.first_tokens > max(1.0, MOST_IN_FIRST_STEP * answer.output_tokens)


def _said_first_step(_: list[Answer]) -> str:
    return (
        f"over {MOST_IN_FIRST_STEP * 100:.0f} % of the tokens came in the first step, which the "
        "speed of decoding leaves out (see that of whole answers)"
    )
