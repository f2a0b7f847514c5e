"""Compares a benchmark with a former one (pure)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from app.bench.plan import PLAIN_DRAFTER
from app.bench.result import Heat, Result
from app.bench.summary import known, speedups

Changes = dict[tuple[str, float, str], float]
"""By task, temperature and drafter: how much the speed-up changed, 0.03 for 3 % more."""


def changes(result: Result, former: Result) -> Changes:
    """Return each row's change, over the heats that both have; a row without such is left out."""
    before = {heat.key: heat for heat in former.heats}
    twins = [(heat, before[heat.key]) for heat in result.heats if heat.key in before]
    changed: Changes = {}
    for task, temperature in dict.fromkeys((heat.task, heat.temperature) for heat, _ in twins):
        own = [twin for twin in twins if (twin[0].task, twin[0].temperature) == (task, temperature)]
        for drafter in result.setup.drafters:
            ratio = _ratio(own, drafter)
            if ratio is not None and drafter != PLAIN_DRAFTER:
                changed[task, temperature, drafter] = ratio - 1.0
    return changed


def _ratio(twins: Sequence[tuple[Heat, Heat]], drafter: str) -> float | None:
    """Return the median speed-up over the former one, of the heats where both are known."""
    pairs = [
        (new, old)
        for heat, former in twins
        for new in known(speedups([heat], drafter))
        for old in known(speedups([former], drafter))
    ]
    if not pairs:
        return None
    return statistics.median(new for new, _ in pairs) / statistics.median(old for _, old in pairs)
