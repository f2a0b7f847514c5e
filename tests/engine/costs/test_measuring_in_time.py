"""How long measuring takes on slow targets, and what is measured where states are saved."""

from __future__ import annotations

import pytest

from engine.costs.curves import Measurement
from engine.costs.measuring import BUDGET_S, CHECK_S, ORDER, behaves, measure
from engine.costs.shape import MOST_ROWS
from tests.engine.costs.test_measuring import TOKENS, Clock, Timed


@pytest.mark.parametrize("plain_s", [0.001, 0.01, 0.05, 0.2, 0.5, 0.7])
@pytest.mark.parametrize("each", [0.1, 0.33], ids=["cheap rows", "dear rows"])
@pytest.mark.parametrize("has_draft", [True, False])
def test_it_takes_three_seconds_at_most(plain_s: float, each: float, has_draft: bool) -> None:
    clock = Clock()
    target = Timed(clock, lambda n: plain_s * (1.0 + each * (n - 1)))
    draft = Timed(clock, lambda n: plain_s * (0.1 + 0.02 * n))
    found = measure(target, draft if has_draft else None, TOKENS, clock=clock)
    least = plain_s * (3.0 + has_draft * 0.24 + 1.0 + 3 * each)  # two widths, behind a warm-up
    assert clock.now <= max(3.0, BUDGET_S + plain_s, least) + 1e-9
    assert found.target_s[1] == pytest.approx(plain_s) and {1, 4} <= found.target_s.keys()


@pytest.mark.parametrize("plain_s", [0.001, 0.05, 0.2, 0.5])
def test_so_does_a_look_at_kept_curves_and_one_that_is_off_ends_in_time(plain_s: float) -> None:
    def cost(n: int) -> float:
        return plain_s * (1.0 + 0.33 * (n - 1))

    kept = Measurement({n: cost(n) for n in range(1, MOST_ROWS + 1)}, {}, 0.01)
    clock = Clock()
    assert behaves(Timed(clock, cost), None, TOKENS, kept, clock)
    assert clock.now <= max(CHECK_S + plain_s, 2 * plain_s + cost(4)) + 1e-9
    clock = Clock()
    assert behaves(Timed(clock, lambda n: plain_s * n), None, TOKENS, kept, clock) is None
    assert clock.now <= 2 * BUDGET_S


class Saving(Timed):
    """Its state takes a second to save and two to put back."""

    def save(self) -> bytearray:
        assert self.held, "a state is saved behind something"
        self._clock.now += 1.0
        return bytearray(len(self.held))

    def restore(self, saved: bytearray, n: int) -> None:
        assert n == len(saved)
        self._clock.now += 2.0
        del self.held[n:]


def test_where_states_are_saved_a_draft_costs_that_and_half_of_what_a_rejection_does() -> None:
    clock = Clock()
    target, drafter = Saving(clock, lambda n: 4.0 + n), Timed(clock, lambda n: 1.0)
    found = measure(target, drafter, TOKENS, 9e9, clock, saves=True)
    assert found.target_s == pytest.approx(
        {n: 5.0 if n == 1 else 1.0 + 4.0 + n + (2.0 + 4.0 + (n + 1) // 2) / 2 for n in ORDER}
    )
    assert set(found.draft_s.values()) == {1.0}
    assert behaves(target, None, TOKENS, found, clock, saves=True)
    assert behaves(target, None, TOKENS, found, clock) is None
