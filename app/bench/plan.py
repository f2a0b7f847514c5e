"""What a benchmark asks, in which order, and how much of it fits into a given time (pure).

A cell is one prompt at one temperature in one round; plain and every drafter answer it one after
the other, in an order that rotates from cell to cell, so that a machine that warms up, throttles or
is busy hits all alike. Rounds are outermost: a benchmark that is cut short has seen every task.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.bench.result import HeatKey
from app.bench.taskset import Item, Task
from engine import Costs

PLAIN_DRAFTER = "none"
ROUNDS = 3
CHARACTERS_PER_TOKEN = 3.0
ASK_S = 0.02
"""What an answer costs beside its tokens: template, tokens, messages between processes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One prompt at one temperature in one round; drafters: who answers, in this order."""

    task: str
    item: int
    temperature: float
    round: int
    seed: int
    predict: int
    messages: tuple[tuple[str, str], ...]
    drafters: tuple[str, ...]

    @property
    def key(self) -> HeatKey:
        """What tells this cell from the others of its benchmark."""
        return self.task, self.item, self.temperature, self.round, self.seed, self.predict


@dataclass(frozen=True, slots=True)
class Scope:
    """How much of the tasks is asked.

    temperatures: these instead of each task's own, () for those. predict: tokens of every answer,
    None for each item's own. most_items, most_tokens, most_temperatures: no more than these of a
    task, an answer, a task; None for all.
    """

    rounds: int = ROUNDS
    temperatures: tuple[float, ...] = ()
    predict: int | None = None
    most_items: int | None = None
    most_tokens: int | None = None
    most_temperatures: int | None = None


SMALLER: tuple[Scope, ...] = (
    Scope(rounds=2),
    Scope(rounds=1),
    Scope(rounds=1, most_items=2),
    Scope(rounds=1, most_items=2, most_tokens=128),
    Scope(rounds=1, most_items=1, most_tokens=128),
    Scope(rounds=1, most_items=1, most_tokens=96),
    Scope(rounds=1, most_items=1, most_tokens=64),
    Scope(rounds=1, most_items=1, most_tokens=64, most_temperatures=1),
    Scope(rounds=1, most_items=1, most_tokens=48, most_temperatures=1),
)
"""What a quick benchmark gives up, from little to much."""
FEWER = ((math.inf, math.inf), (2, math.inf), (1, math.inf), (1, 2), (1, 1))
"""Rounds and items of a task, where lengths are to stay."""


def plan(
    tasks: Sequence[Task], scope: Scope, drafters: Sequence[str], seed: int
) -> tuple[Cell, ...]:
    """Return every cell in the order of asking. drafters: plain is among them."""
    cells: list[Cell] = []
    for round_number in range(scope.rounds):
        for place, (name, number, item, temperature) in enumerate(_prompts(tasks, scope)):
            cells.append(
                Cell(
                    task=name,
                    item=number,
                    temperature=temperature,
                    round=round_number,
                    seed=_seed(seed, round_number),
                    predict=_predict(item, scope),
                    messages=item.messages,
                    drafters=_rotated(drafters, place + round_number),
                )
            )
    return tuple(cells)


def repeated(
    tasks: Sequence[Task], scope: Scope, drafters: Sequence[str], seed: int, keys: Iterable[HeatKey]
) -> tuple[Cell, ...]:
    """Return the cells of these keys, in their order, without what is no part of the tasks or of
    what the person asked for.
    """
    items = {(task.name, n): item for task in tasks for n, item in enumerate(task.items)}
    places: Counter[int] = Counter()
    cells = []
    for task, number, temperature, round_number, own_seed, predict in keys:
        item = items.get((task, number))
        is_wanted = (
            round_number < scope.rounds
            and own_seed == _seed(seed, round_number)
            and (not scope.temperatures or temperature in scope.temperatures)
            and scope.predict in (None, predict)
        )
        if item is not None and is_wanted:
            turned = _rotated(drafters, places[round_number] + round_number)
            places[round_number] += 1
            asked = task, number, temperature, round_number, own_seed, predict
            cells.append(Cell(*asked, messages=item.messages, drafters=turned))
    return tuple(cells)


def fewer(cells: tuple[Cell, ...], costs: Costs | None, budget_s: float) -> tuple[Cell, ...]:
    """Return the cells, or so many of them that they fit, all as long as they are: fewer rounds,
    then fewer prompts of each task; unknown costs give the fewest. Those that are there count,
    which need not be the first ones.
    """
    fewest = cells
    for rounds, items in FEWER:
        of_rounds = _of_first(rounds, cells, lambda cell: ("", cell.round))
        fewest = _of_first(items, of_rounds, lambda cell: (cell.task, cell.item))
        if costs is not None and costs.target_s and seconds(fewest, costs) <= budget_s:
            break
    return fewest


def _of_first(
    most: float, cells: Iterable[Cell], place: Callable[[Cell], tuple[str, int]]
) -> tuple[Cell, ...]:
    """Return the cells of the first numbers under each name, so many as there are at most."""
    numbers: dict[str, list[int]] = {}
    kept = []
    for cell in cells:
        name, number = place(cell)
        known = numbers.setdefault(name, [])
        if number not in known:
            known.append(number)
        if known.index(number) < most:
            kept.append(cell)
    return tuple(kept)


def _rotated(drafters: Sequence[str], turn: int) -> tuple[str, ...]:
    turn %= len(drafters)
    return (*drafters[turn:], *drafters[:turn])


def _seed(seed: int, round_number: int) -> int:
    return (seed + round_number) % 2**64


def _prompts(tasks: Sequence[Task], scope: Scope) -> Iterator[tuple[str, int, Item, float]]:
    """Yield task, item number, item and temperature; an item's temperatures follow each other, so
    that its prompt is still in the cache.
    """
    for task in tasks:
        temperatures = scope.temperatures or task.temperatures
        for number, item in enumerate(task.items[: scope.most_items]):
            for temperature in temperatures[: scope.most_temperatures]:
                yield task.name, number, item, temperature


def _predict(item: Item, scope: Scope) -> int:
    predict = item.predict if scope.predict is None else scope.predict
    return predict if scope.most_tokens is None else min(predict, scope.most_tokens)


def seconds(cells: Sequence[Cell], costs: Costs) -> float:
    """Estimate how long the cells take at most: as if nobody were faster than plain."""
    token_s = costs.target_s[0]
    prompt_token_s = costs.target_s[-1] / len(costs.target_s)
    total_s = 0.0
    for cell in cells:
        prompt = sum(len(content) for _, content in cell.messages) / CHARACTERS_PER_TOKEN
        total_s += prompt * prompt_token_s
        total_s += len(cell.drafters) * (cell.predict * token_s + ASK_S)
    return total_s


def fitted(
    tasks: Sequence[Task],
    scope: Scope,
    drafters: Sequence[str],
    costs: Costs | None,
    budget_s: float,
) -> Scope:
    """Return the scope, or the first smaller one that fits; unknown costs give the smallest."""
    scopes = _steps(scope)
    if costs is not None and costs.target_s:
        for candidate in scopes:
            if seconds(plan(tasks, candidate, drafters, 0), costs) <= budget_s:
                return candidate
    return scopes[-1]


def near(scope: Scope, fitting: Scope) -> tuple[Scope, ...]:
    """Return what `fitted` made of a scope, then what is a step smaller and a step larger."""
    scopes = _steps(scope)
    at = scopes.index(fitting)
    return (fitting, *scopes[at + 1 : at + 2], *scopes[max(0, at - 1) : at])


def _steps(scope: Scope) -> list[Scope]:
    """Return the scope and all smaller ones, the smallest last."""
    return list(dict.fromkeys([scope, *(_narrowed(scope, smaller) for smaller in SMALLER)]))


def _narrowed(scope: Scope, smaller: Scope) -> Scope:
    """Return the scope with the other's limits; what the person asked for stays."""
    return replace(
        scope,
        rounds=min(scope.rounds, smaller.rounds),
        most_items=smaller.most_items,
        most_tokens=None if scope.predict else smaller.most_tokens,
        most_temperatures=None if scope.temperatures else smaller.most_temperatures,
    )
