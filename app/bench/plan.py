"""What a benchmark asks, in which order, and how much of it fits into a given time (pure).

A cell is one prompt at one temperature in one round; plain and every drafter answer it one after
the other, in an order that rotates from cell to cell, so that a machine that warms up, throttles or
is busy hits all alike. Rounds are outermost: a benchmark that is cut short has seen every task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
    def key(self) -> tuple[str, int, float, int, int, int]:
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


def plan(
    tasks: Sequence[Task], scope: Scope, drafters: Sequence[str], seed: int
) -> tuple[Cell, ...]:
    """Return every cell in the order of asking. drafters: plain is among them."""
    cells: list[Cell] = []
    for round_number in range(scope.rounds):
        for place, (name, number, item, temperature) in enumerate(_prompts(tasks, scope)):
            turn = (place + round_number) % len(drafters)
            cells.append(
                Cell(
                    task=name,
                    item=number,
                    temperature=temperature,
                    round=round_number,
                    seed=(seed + round_number) % 2**64,
                    predict=_predict(item, scope),
                    messages=item.messages,
                    drafters=(*drafters[turn:], *drafters[:turn]),
                )
            )
    return tuple(cells)


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
