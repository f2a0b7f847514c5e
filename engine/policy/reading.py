"""Whether it could be earned back that a draft model reads what it has missed. Pure."""

from __future__ import annotations

from engine.costs.curves import CostCurves


def best_rate(curves: CostCurves, depth: int) -> float:
    """Return the rate, over that of plain decoding, which drafts of the model reach if every token
    of them is right: 1 where a token costs it as much as the target, for nothing is drafted then.
    """
    each = curves.draft_relative(1, depth)
    return max(n / (cost + (n - 1) * each) for n, cost in enumerate(curves.relative(depth), 1))


def may_repay(curves: CostCurves, n_unread: int, depth: int, room: int) -> bool:
    """Return whether an answer of `room` tokens could earn back that so many are read before it.

    At R times the rate of plain decoding each token saves 1 - 1 / R plain steps.
    """
    if n_unread <= 0:
        return True
    saved = room * (1.0 - 1.0 / best_rate(curves, depth))
    return curves.draft_relative(n_unread, depth) <= saved
