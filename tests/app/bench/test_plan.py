"""The order of asking, and what fits into a given time."""

from __future__ import annotations

from app.bench.conditions import asking
from app.bench.plan import Scope, fewer, fitted, plan, repeated, seconds
from tests.app.bench.making import COSTS, DRAFTERS, setup, task

TASKS = (task("chat", items=2), task("copy", temperatures=(0.0,)))


def test_every_prompt_is_asked_of_everybody_at_each_temperature_in_each_round() -> None:
    cells = plan(TASKS, Scope(rounds=3), DRAFTERS, seed=7)
    assert len(cells) == 3 * (2 * 2 + 1) == len({cell.key for cell in cells})
    assert all(sorted(cell.drafters) == sorted(DRAFTERS) for cell in cells)
    assert [cell.round for cell in cells] == sorted(cell.round for cell in cells)
    assert {(cell.round, cell.seed) for cell in cells} == {(0, 7), (1, 8), (2, 9)}


def test_everybody_is_first_equally_often() -> None:
    cells = plan(TASKS, Scope(rounds=3), DRAFTERS, seed=7)
    first = [cell.drafters[0] for cell in cells]
    assert {name: first.count(name) for name in DRAFTERS} == dict.fromkeys(DRAFTERS, 5)
    of_one_prompt = [c.drafters[0] for c in cells if (c.task, c.item) == ("copy", 0)]
    assert set(of_one_prompt) == set(DRAFTERS), "the same prompt begins with others in each round"


def test_what_the_person_asks_for_replaces_the_tasks_own() -> None:
    cells = plan(TASKS, Scope(rounds=1, temperatures=(0.5,), predict=9), DRAFTERS, seed=0)
    assert {(cell.temperature, cell.predict) for cell in cells} == {(0.5, 9)}
    assert len(cells) == 3


def test_seeds_stay_in_64_bits() -> None:
    assert plan(TASKS, Scope(rounds=2), DRAFTERS, seed=2**64 - 1)[-1].seed == 0


def test_what_has_time_is_not_cut() -> None:
    scope = Scope(rounds=3)
    assert fitted(TASKS, scope, DRAFTERS, COSTS, 1e9) == scope


def test_what_has_no_time_is_cut_until_it_fits_and_no_further() -> None:
    whole = seconds(plan(TASKS, Scope(rounds=3), DRAFTERS, 0), COSTS)
    for share in (0.7, 0.4, 0.2):
        scope = fitted(TASKS, Scope(rounds=3), DRAFTERS, COSTS, share * whole)
        estimate = seconds(plan(TASKS, scope, DRAFTERS, 0), COSTS)
        assert share * whole / 3 < estimate <= share * whole


def test_the_smallest_has_every_task_and_the_persons_own_wishes() -> None:
    wanted = Scope(rounds=3, temperatures=(0.1, 0.2), predict=500)
    for costs, budget_s in ((COSTS, 0.0), (None, 1e9)):
        scope = fitted(TASKS, wanted, DRAFTERS, costs, budget_s)
        cells = plan(TASKS, scope, DRAFTERS, 0)
        assert {cell.task for cell in cells} == {"chat", "copy"}
        assert {(c.temperature, c.predict) for c in cells} == {(0.1, 500), (0.2, 500)}
        assert len(cells) == 4


def test_what_was_asked_is_asked_again_in_the_same_order() -> None:
    cells = plan(TASKS, Scope(rounds=3), DRAFTERS, seed=7)
    keys = [cell.key for cell in cells]
    assert repeated(TASKS, Scope(rounds=3), DRAFTERS, 7, keys) == cells


def test_of_what_was_asked_only_what_the_person_asks_for_is_asked_again() -> None:
    keys = [cell.key for cell in plan(TASKS, Scope(rounds=3), DRAFTERS, seed=7)]

    def again(scope: Scope, seed: int = 7) -> int:
        return len(repeated(TASKS[:1], scope, DRAFTERS, seed, keys))

    assert again(Scope(rounds=3)) == 12 and again(Scope(rounds=1)) == 4
    assert again(Scope(rounds=3, temperatures=(0.0,))) == 6
    assert again(Scope(rounds=3, predict=64)) == 12 and again(Scope(rounds=3, predict=9)) == 0
    assert again(Scope(rounds=3), seed=8) == 0


def test_of_what_is_asked_again_lengths_stay_where_there_is_no_time() -> None:
    cells = plan(TASKS, Scope(rounds=3), DRAFTERS, seed=7)
    whole = seconds(cells, COSTS)
    sizes = [len(fewer(cells, COSTS, share * whole)) for share in (1.0, 0.7, 0.4, 0.0)]
    assert sizes == [15, 10, 5, 3] and len(fewer(cells, None, 1e9)) == 3
    assert {cell.predict for cell in fewer(cells, COSTS, 0.0)} == {64}


def test_the_fewest_are_of_the_prompts_and_rounds_that_are_there() -> None:
    cells = plan((task("chat", items=4), TASKS[1]), Scope(rounds=3), DRAFTERS, seed=7)
    there = tuple(
        c for c in cells if c.round and (c.task, c.item) not in {("chat", 0), ("copy", 0)}
    )
    assert {(c.item, c.round) for c in fewer(there, None, 0.0)} == {(1, 1)}
    assert asking(setup(), there).prompts != asking(setup(), there[:1]).prompts
    first_is_late = tuple(c for c in cells if c.round == (1 if c.item == 0 else 0))
    assert {(c.item, c.round) for c in fewer(first_is_late, None, 0.0)} == {(1, 0)}
