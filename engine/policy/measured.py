"""How many tokens to draft now, and whose. Pure: it sees confidences, costs and steps.

`Measured` grants each step a `Budget` (budget.py), which weighs drafts by what is known of drafters
and costs: nothing is drafted where it does not pay, drafting stops inside a draft, and what is not
worth verifying is cut. It learns from every step. The other policy is fixed_length.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.costs.curves import CostCurves
from engine.costs.shape import MOST_ROWS
from engine.policy.budget import Budget
from engine.policy.experience import Experience
from engine.types import Allowance, Step

LEAST_MARGIN, MOST_MARGIN = 0.03, 0.15
"""By how much drafting must beat its cost; between them the noise of the measurements decides."""
APART = 5
"""Steps of this answer, at least, that know the pace which a plain step is compared by."""
SHARED = 0.5
"""The part of what returning to plain decoding costs that a draft bears which leaves it, for drafts
come in runs.
"""
CHEAP = 0.7
"""A step of less than this share of what it should take was cheap: costs have changed."""


class Measured:
    """The policy of one answer over what is known from answers before."""

    def __init__(self, experience: Experience, curves: CostCurves) -> None:
        experience.begin()
        self._experience, self._curves = experience, curves
        self._margin = 1.0 + min(MOST_MARGIN, max(LEAST_MARGIN, curves.noise))
        self._budget: Budget | None = None
        self._depth = 0
        self._plain_run = 0  # plain steps of late, one behind the other
        self._steps = 0

    def allow(self, room: int, depth: int) -> Allowance:
        """Grant what can be verified; nothing where a plain step is due, nor in the first step."""
        plain_due = self._experience.is_plain_due(self._curves.drift)
        is_first = not self._steps
        limit = 0 if plain_due or is_first else max(0, min(room, MOST_ROWS - 1))
        self._depth = depth
        self._budget = Budget(
            self._experience, self._curves, limit, depth, self._margin, self._leaving()
        )
        return self._budget

    def _leaving(self) -> float:
        """Return what a draft costs for that plain decoding is not settled behind it, in plain
        steps: none where it is not settled now.
        """
        curves = self._curves
        return SHARED * curves.returning * min(1.0, self._plain_run / curves.settles)

    def observe(self, step: Step) -> None:
        """Learn how good drafts were, what the step cost, and what asking was worth."""
        budget = self._budget
        if budget is None:
            return
        proposed, n = step.proposed, len(step.draft.tokens)
        gain, left = budget.brought(proposed, n)
        self._learn(proposed.origins, proposed.tokens, proposed.confidences, step.tokens)
        for drafter, (tokens, confidences) in budget.noted.items():
            if drafter not in proposed.origins[:1]:
                self._learn((drafter,) * len(tokens), tokens, confidences, step.tokens)
        self._account(step, budget)
        verify_s = step.step_s - step.draft_s
        was_cheap = n > 0 and verify_s < CHEAP * self._curves.target_s(n + 1, self._depth)
        self._observe_costs(step, budget)
        experience = self._experience
        costs = self._curves.relative(self._depth)
        leaving = budget.leaving if n else 0.0
        experience.earned(len(step.tokens), costs[n] + leaving + budget.drafting)
        experience.steps += 1
        if n:
            experience.verified(gain, was_cheap)
        if budget.asked is not None:
            was_right = proposed.tokens[:1] == step.tokens[:1]
            record = experience.of(budget.asked)
            cost = budget.drafting + max(0.0, -gain)  # of verifying what could not be cut, too
            record.credit.asked(len(step.tokens), costs[n] + leaving + budget.drafting_alone)
            record.asked(left, cost, experience.steps, was_right)
        self._steps += 1

    def _learn(
        self,
        origins: Sequence[str],
        tokens: Sequence[int],
        confidences: Sequence[float],
        said: Sequence[int],
    ) -> None:
        """Compare a draft with what was said, up to the first difference; behind it, and behind
        what was said, nothing is known.
        """
        for origin, token, confidence, wanted in zip(
            origins, tokens, confidences, said, strict=False
        ):
            self._experience.of(origin).trust.learn(confidence, token == wanted)
            if token != wanted:
                return

    def _account(self, step: Step, budget: Budget) -> None:
        """Book what drafts brought to those who know theirs in advance, the withheld ones too; what
        a model read beside them is none of their cost.
        """
        costs, draft = self._curves.relative(self._depth), step.draft
        leaving = budget.leaving
        for drafter, (tokens, _) in budget.noted.items():
            purse, n = self._experience.of(drafter).purse, budget.withheld.get(drafter)
            if n is not None:
                purse.watch(tokens[:n], costs[n] + leaving)
            elif draft.tokens and draft.drafter == drafter:
                cost = costs[len(draft.tokens)] + leaving + budget.drafting_alone
                purse.verified(len(step.tokens), cost)
        for record in self._experience.records:
            record.purse.said(step.tokens)

    def _observe_costs(self, step: Step, budget: Budget) -> None:
        """Refine the curves; the first step holds the prefill, and the first plain steps behind a
        draft pay for the change of width.
        """
        n, seconds = len(step.draft.tokens), step.step_s - step.draft_s
        experience, curves, depth = self._experience, self._curves, self._depth
        if self._steps and budget.drafting:
            curves.observe_draft(budget.drafting * curves.target_s(1, depth), step.draft_s)
        experience.steps_since_plain += 1
        if n and self._steps and step.batch in (n + 1, budget.batch):
            curves.observe_target(step.batch, depth, seconds)
        is_plain = step.batch == 1
        if is_plain and self._plain_run >= curves.settles:
            if min(experience.steps_since_plain, self._steps) > APART:
                experience.compared(curves.compare_plain(depth, seconds))
            else:
                curves.observe_target(1, depth, seconds)
            experience.steps_since_plain = 0
        self._plain_run = self._plain_run + 1 if is_plain else 0
