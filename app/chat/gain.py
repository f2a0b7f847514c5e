"""Whether an answer's speed-up says something, and why it can be below one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Costs, Stats

FEWEST_TOKENS, FEWEST_STEPS = 16, 4
"""Of a shorter answer one slow step would be most of the figure."""
SLOWER = 0.95
"""Below this it is shown as less than 1.0."""
DRAFT_MODEL = "draft_model"


def gain(stats: Stats) -> float | None:
    """Return the speed-up over plain, None where it is not known or the answer is too short."""
    is_short = stats.output_tokens < FEWEST_TOKENS or stats.steps < FEWEST_STEPS
    return None if is_short else stats.speedup


def is_slower_than_measured(stats: Stats, costs: Costs | None) -> bool | None:
    """Say of an answer that came slower than plain, though drafts were right, what that was.

    True: its steps took longer than those that were measured, by which plain's speed is known; so
    something else kept the machine busy. False: guessing cost more than it saved, or no guess
    was worth a test; plain's speed is then that of the steps themselves. None: it was not slower,
    or nobody can say.
    """
    factor = gain(stats)
    if factor is None or factor >= SLOWER:
        return None
    if not stats.drafted:
        return False
    if not stats.accepted or costs is None:
        return None
    token_s = _cost(costs.target_s, 1)
    return token_s * stats.output_tokens >= _drafted_s(stats, costs, token_s)


def _drafted_s(stats: Stats, costs: Costs, token_s: float) -> float:
    """Return what the steps should have taken, each draft as long as all are on average."""
    begun = min(stats.steps, sum(share.steps for share in stats.drafters.values()))
    length = stats.drafted / begun if begun else 0.0
    steps_s = (stats.steps - begun) * token_s + begun * _cost(costs.target_s, 1 + length)
    by_model = stats.drafters.get(DRAFT_MODEL)
    if by_model is None or not by_model.drafted:
        return steps_s
    n = max(1, by_model.steps)
    return steps_s + n * _cost(costs.draft_s, by_model.drafted / n)


def _cost(curve: Sequence[float], tokens: float) -> float:
    """Return what a forward of so many tokens costs, by a curve that begins with one token."""
    n = min(round(tokens), len(curve))
    return curve[n - 1] if n > 0 else 0.0
