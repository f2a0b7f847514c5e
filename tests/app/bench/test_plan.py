"""The order of asking, and what fits into a given time."""

from __future__ import annotations

from app.bench.plan import Scope, fitted, plan, seconds
from tests.app.bench.making import COSTS, DRAFTERS, task

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
