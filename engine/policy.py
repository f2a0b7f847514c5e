"""How many tokens to draft now, and whose. Pure: it sees confidences, costs and steps.

A plain step earns one token for T(1). A step with n draft tokens earns 1 + E(n) tokens, E(n) being
the sum over k of the chance that tokens 1 … k are all accepted, for T(n + 1) and the cost of
drafting. Costs are counted in plain steps, so that the rate of plain decoding is 1. What makes
E(n) - price * cost(n) largest is taken. With the long-run rate as the price that is the optimal
stopping rule of a renewal-reward process (Ross, Applied Probability Models, 1970, chapter 7). But a
text is no renewal process: a hard place has to be passed anyhow, and easy tokens before it are
worth taking in one step though that is slower than elsewhere. So the price is never higher than the
best rate that this very draft can reach.

`Measured` does that: nothing is drafted where it does not pay, drafting stops inside a draft, and
what is not worth verifying is cut. The other policy is fixed_length.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.costs import MOST_ROWS, CostCurves
from engine.experience import PROBE, Experience
from engine.types import Allowance, Draft, Step

HINDSIGHT = 16
"""At most so many of the tokens that were said without it a draft model is tested on later."""
HORIZON = 16
"""How many tokens ahead a drafter whose tokens are not known yet is looked at: as far as the next
tile of rows, which may be the better bargain."""
LEAST_MARGIN, MOST_MARGIN = 0.03, 0.15
"""By how much drafting must beat its cost; between them the noise of the measurements decides."""
PLAIN_EVERY = 192
"""Steps with drafts after which two plain ones show anew what plain decoding costs."""
LIKELY, TRIED = 0.6, 4
LENT = 0.5
"""What of the cost of catching up a probe may do without having saved it. Where catching up is dear
it grows faster than what is saved."""
CHEAP = 0.7


class Budget:
    """What one step may draft, and the worth of what it has drafted so far."""

    hindsight = HINDSIGHT

    def __init__(
        self, experience: Experience, curves: CostCurves, limit: int, depth: int, margin: float
    ) -> None:
        """margin: how much dearer than measured a draft must be assumed to be."""
        self.limit = limit
        self.noted: list[tuple[str, Sequence[int], Sequence[float]]] = []
        self.withheld: dict[str, int] = {}  # by drafter: how many tokens it could not stake on
        self.drafting = 0.0
        self.asked: str | None = None
        self._experience, self._curves, self._depth = experience, curves, depth
        self._costs = [1.0 + margin * (cost - 1.0) for cost in curves.relative(depth)]
        self._each = curves.draft_relative(1, depth)
        self._missed = 0.0
        self._drafted_costs: list[float] = []  # with what drafting all of them by a model costs
        self._rate = experience.rate
        self._reached = 1.0
        self._taken = 0
        self._sure, self._expected = 1.0, 0.0
        self._weighed: tuple[list[float], float] | None = None

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        """Return how many of these tokens to add, and what they bring: (0, 0.0) if they do not."""
        record = self._experience.of(drafter)
        chance = record.trust.chance
        sure, total, sums = self._sure, 0.0, []
        for confidence in confidences[: self.limit - self._taken]:
            sure *= chance(confidence)
            total += sure
            sums.append(total)
        best = self._best(sums, self._costs, 0.0)
        if best[0] and not record.purse.affords(self._costs[self._taken + best[0]]):
            if not self._taken:
                self.withheld[drafter] = best[0]
            return 0, 0.0
        if not best[0] and not self._taken and self._is_cost_probe_due:
            n = self._likely(drafter, confidences)
            return n, PROBE if n else 0.0
        return best

    def outlook(self, drafter: str, lag: int) -> float:
        """Return what drafting on with a model promises, whose tokens are not known yet.

        At the beginning of a step experience tells; a drafter that does not pay is asked whenever
        enough is saved for it, lest a change of topic goes unnoticed: most cheaply at the beginning
        of an answer, where it has missed nothing.
        """
        record = self._experience.of(drafter)
        left = self.limit - self._taken
        if left <= 0:
            return 0.0
        if self._taken == 0:
            dues = self._each + LENT * (self._forward(lag) - self._each)
            is_due = record.saved(self._experience.steps) >= dues
            return max(record.promise, PROBE if is_due else 0.0)
        chance = record.trust.typical
        sure, total, sums = self._sure, 0.0, []
        for _ in range(min(left, HORIZON)):
            sure *= chance
            total += sure
            sums.append(total)
        if not self._drafted_costs:
            self._drafted_costs = [cost + i * self._each for i, cost in enumerate(self._costs)]
        return self._best(sums, self._drafted_costs, self._forward(lag) - self._each)[1]

    def _best(self, sums: list[float], costs: list[float], first: float) -> tuple[int, float]:
        """Return how many more tokens bring most, and what: sums[i] will be right of i + 1.

        costs: of a step by draft length; first: by how much the next token costs more than that.
        """
        n = self._taken
        here, price = costs[n] - first, self._rate
        if self._reached < price:
            reached, so_far = self._reached, 1.0 + self._expected
            spent = self._costs[n] + self.drafting - here
            for at, total in enumerate(sums, n + 1):
                reached = max(reached, (so_far + total) / (spent + costs[at]))
            price = min(price, reached)
        best, most = n, 0.0
        for at, total in enumerate(sums, n + 1):
            gain = total - price * (costs[at] - here)
            if gain > most:
                best, most = at, gain
        return best - n, most

    def _forward(self, n: int) -> float:
        """Return the cost of a forward of n tokens in the draft model."""
        return self._curves.draft_relative(n, self._depth) if n > 1 else n * self._each

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Count tokens in. lag: how many tokens a model evaluated for them; 0: they were free."""
        trust = self._experience.of(drafter).trust
        if lag:
            self.drafting += self._forward(lag)
            if not self._taken:
                self.asked = drafter
                self._missed = self._forward(lag) - self._each
        for confidence in confidences:
            self._sure *= trust.meet(confidence)
            self._expected += self._sure
        self._taken += len(confidences)
        rate = (1.0 + self._expected) / (self._costs[self._taken] + self.drafting)
        self._reached = max(self._reached, rate)

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Remember what a drafter would have drafted, to learn from that too."""
        self.noted.append((drafter, tokens, confidences))

    def review(self, drafter: str, confidences: Sequence[float], hits: Sequence[bool]) -> None:
        """Learn how right a model would have been where it was not asked."""
        trust = self._experience.of(drafter).trust
        for confidence, hit in zip(confidences, hits, strict=True):
            trust.meet(confidence)
            trust.learn(confidence, hit)

    def keep(self, proposed: Draft) -> int:
        """Return how many tokens of the draft are worth verifying."""
        gains = self._weigh(proposed)[0]
        best = gains.index(max(gains))
        if not best and proposed.tokens and self._is_cost_probe_due:
            return self._likely(proposed.drafter, proposed.confidences)
        return best

    def brought(self, proposed: Draft, n: int) -> tuple[float, float]:
        """Return what verifying the first n tokens of the draft brings, and what that and asking
        for them bring together if nothing has to be caught up: that is done once. The price of
        asking is not higher than what the draft reaches either.
        """
        gains, price = self._weigh(proposed)
        tokens = 1.0 + gains[n] + price * (self._costs[n] - 1.0)
        cost = self._costs[n] + self.drafting - self._missed
        price = min(self._rate, max(1.0, tokens / cost))
        return gains[n], tokens - 1.0 - price * (cost - 1.0)

    @property
    def _is_cost_probe_due(self) -> bool:
        return self._experience.is_cost_probe_due(self._costs[1] - 1.0)

    def _likely(self, drafter: str, confidences: Sequence[float]) -> int:
        """Return how many of these tokens will probably be right: to verify them though they seem
        too dear, and see if they are.
        """
        chance = self._experience.of(drafter).trust.chance
        sure, n = 1.0, 0
        for confidence in confidences[: min(TRIED, self.limit)]:
            sure *= chance(confidence)
            if sure < LIKELY:
                break
            n += 1
        return n

    def _weigh(self, proposed: Draft) -> tuple[list[float], float]:
        """Return what verifying 0, 1, … tokens of the draft brings, drafting aside, and at what
        price of time. The draft of a step is weighed once, before anything is learnt from it.
        """
        if self._weighed is None:
            sure, expected, sums = 1.0, 0.0, [0.0]
            for origin, confidence in zip(proposed.origins, proposed.confidences, strict=True):
                sure *= self._experience.of(origin).trust.chance(confidence)
                expected += sure
                sums.append(expected)
            pairs = list(zip(sums, self._costs, strict=False))
            price = min(self._rate, max((1.0 + total) / cost for total, cost in pairs))
            self._weighed = [total - price * (cost - 1.0) for total, cost in pairs], price
        return self._weighed


class Measured:
    """The policy of one answer over what is known from answers before."""

    def __init__(self, experience: Experience, curves: CostCurves) -> None:
        experience.begin()
        self._experience, self._curves = experience, curves
        self._margin = 1.0 + min(MOST_MARGIN, max(LEAST_MARGIN, curves.noise))
        self._budget: Budget | None = None
        self._depth = 0
        self._was_plain = False
        self._steps = 0

    def allow(self, room: int, depth: int) -> Allowance:
        """Grant what can be verified; nothing where a plain step is due, nor in the first step."""
        plain_due = self._experience.steps_since_plain >= PLAIN_EVERY
        is_first = not self._steps
        limit = 0 if plain_due or is_first else max(0, min(room, MOST_ROWS - 1))
        self._depth = depth
        self._budget = Budget(self._experience, self._curves, limit, depth, self._margin)
        return self._budget

    def observe(self, step: Step) -> None:
        """Learn how good drafts were, what the step cost, and what asking was worth."""
        budget = self._budget
        if budget is None:
            return
        proposed, n = step.proposed, len(step.draft.tokens)
        gain, left = budget.brought(proposed, n)
        self._learn(proposed.origins, proposed.tokens, proposed.confidences, step.tokens)
        for drafter, tokens, confidences in budget.noted:
            if drafter not in proposed.origins[:1]:
                self._learn((drafter,) * len(tokens), tokens, confidences, step.tokens)
        self._account(step, budget)
        verify_s = step.step_s - step.draft_s
        was_cheap = n > 0 and verify_s < CHEAP * self._curves.target_s(n + 1, self._depth)
        self._observe_costs(step, budget)
        experience = self._experience
        costs = self._curves.relative(self._depth)
        experience.earned(len(step.tokens), costs[n] + budget.drafting)
        experience.steps += 1
        if n:
            experience.verified(gain, was_cheap)
        if budget.asked is not None:
            was_right = proposed.tokens[:1] == step.tokens[:1]
            record = experience.of(budget.asked)
            record.asked(left, budget.drafting, experience.steps, was_right)
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
        """Book what drafts brought to those who know theirs in advance, the withheld ones too."""
        costs, draft = self._curves.relative(self._depth), step.draft
        for drafter, tokens, _ in budget.noted:
            purse, n = self._experience.of(drafter).purse, budget.withheld.get(drafter)
            if n is not None:
                purse.watch(tokens[:n], costs[n])
            elif draft.tokens and draft.drafter == drafter:
                purse.verified(len(step.tokens), costs[len(draft.tokens)] + budget.drafting)
        for record in self._experience.records:
            record.purse.said(step.tokens)

    def _observe_costs(self, step: Step, budget: Budget) -> None:
        """Refine the curves; the first step holds the prefill, and the first plain step behind a
        draft pays for the change of width.
        """
        n = len(step.draft.tokens)
        experience, curves, depth = self._experience, self._curves, self._depth
        if self._steps and step.batch == n + 1 and (n or self._was_plain):
            curves.observe_target(n + 1, depth, step.step_s - step.draft_s)
        if self._steps and budget.drafting:
            curves.observe_draft(budget.drafting * curves.target_s(1, depth), step.draft_s)
        is_second_plain = not n and self._was_plain
        experience.steps_since_plain = 0 if is_second_plain else experience.steps_since_plain + 1
        self._was_plain = not n
