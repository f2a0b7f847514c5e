"""A draft model reads what it has missed only where an answer could earn that back."""

from __future__ import annotations

import pytest

from engine.answer import Answer
from engine.assemble import Engine
from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS
from engine.messages import Ask, Delta, Started
from engine.policy.reading import best_rate, may_repay
from tests.engine.in_process import GREEDY, loaded
from tests.engine.simulated import FLAT, Model, World, always, drafted, warmed
from tests.pair import pair, user

QUESTION = [user("What does os.path.join do? " * 80)]
"""More than a batch, for the last one of a prompt is left to the first draft."""


def curves(each: float, widest: float = 2.0) -> CostCurves:
    """A target whose rows are nearly free, and a draft model whose token costs so much of that."""
    return CostCurves(Measurement(FLAT, {1: each, MOST_ROWS: widest * each}))


def test_the_best_rate_is_that_of_drafts_that_are_always_right() -> None:
    free = curves(0.0001)
    costs = free.relative(0)
    assert best_rate(free, 0) == pytest.approx(max(n / c for n, c in enumerate(costs, 1)), rel=0.01)
    assert best_rate(curves(0.25), 0) < best_rate(curves(0.1), 0) < best_rate(free, 0)
    assert best_rate(curves(1.0), 0) == pytest.approx(1.0)


def test_a_model_as_dear_as_the_target_repays_nothing_that_it_reads() -> None:
    assert not may_repay(curves(1.0), 1, 0, 100_000)
    assert may_repay(curves(1.0), 0, 0, 1), "there is nothing to read"


def test_what_is_read_must_be_less_than_the_whole_answer_could_save() -> None:
    dear = curves(0.5)  # at best one and a half times as fast
    n_saved = 1.0 - 1.0 / best_rate(dear, 0)
    room = round(dear.draft_relative(2000, 0) / n_saved)
    assert may_repay(dear, 2000, 0, room + 1)
    assert not may_repay(dear, 2000, 0, room - 1)


def test_a_new_model_that_cannot_pay_is_not_asked_to_catch_up() -> None:
    worlds = [World(draft_s=draft_s, widest=32.0) for draft_s in (0.1, 1.0)]
    models = [Model(always(0.9, right=True), missed=0.2, held=90) for _ in worlds]
    cheap, dear = (
        world.run(warmed(world), [model], 40) for world, model in zip(worlds, models, strict=True)
    )
    assert sum(drafted(cheap)) > 40
    assert models[1].forwards == 0 and not any(drafted(dear))


def n_read(engine: Engine, drafter: str) -> int:
    """How many tokens of the prompt the draft model has read when the first one is said."""
    cache = engine.parts().draft_cache
    assert cache is not None
    cache.clear()
    events = Answer(engine, Ask(1, QUESTION, GREEDY, drafter=drafter), lambda: False).events()
    assert isinstance(next(events), Started) and isinstance(next(events), Delta)
    return len(cache)


@pytest.mark.parametrize("drafter", ["draft_model", "auto"])
def test_the_first_token_does_not_wait_for_a_model_that_cannot_pay(drafter: str) -> None:
    with loaded(pair(drafter)) as engine:
        engine.curves = curves(1.0)
        assert n_read(engine, drafter) == 0
        engine.curves = curves(0.1)
        assert n_read(engine, drafter) > 0


def test_who_fixes_the_length_has_the_prompt_read() -> None:
    with loaded(pair("draft_model", 4)) as engine:
        engine.curves = curves(1.0)
        assert n_read(engine, "draft_model") > 0
