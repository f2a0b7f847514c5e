"""What one step may draft, and the worth of what it has drafted so far. Pure.

A plain step earns one token for T(1). A step with n draft tokens earns 1 + E(n) tokens, E(n) being
the sum over k of the chance that tokens 1 … k are all accepted, for T(n + 1) and the cost of
drafting. Costs are counted in plain steps, so that the rate of plain decoding is 1. What makes
E(n) - price * cost(n) largest is taken. With the long-run rate as the price that is the optimal
stopping rule of a renewal-reward process (Ross, Applied Probability Models, 1970, chapter 7). But a
text is no renewal process: a hard place has to be passed anyhow, and easy tokens before it are
worth taking in one step though that is slower than elsewhere. So the price is never higher than the
best rate that this very draft can reach.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.costs.curves import CostCurves
from engine.policy.experience import PROBE, Experience, Record
from engine.policy.reading import best_rate
from engine.types import Draft

HINDSIGHT = 16
"""At most so many of the tokens that were said without it a draft model is tested on later."""
HORIZON = 16
"""How many tokens ahead a drafter whose tokens are not known yet is looked at: as far as the next
tile of rows, which may be the better bargain."""
LIKELY, TRIED = 0.6, 4
"""A draft that is verified to see what that costs: it grows to TRIED tokens, while the chance that
all of it is right is LIKELY."""


class Budget:
    """What one step may draft, and the worth of what it has drafted so far."""

    hindsight = HINDSIGHT

    def __init__(
        self,
        experience: Experience,
        curves: CostCurves,
        limit: int,
        depth: int,
        margin: float,
        leaving: float = 0.0,
    ) -> None:
        """margin: how much dearer than measured a draft must be assumed to be; leaving: what any
        draft costs beside that, however short, in plain steps.
        """
        self.limit = limit
        self.noted: dict[str, tuple[Sequence[int], Sequence[float]]] = {}  # by drafter
        self.withheld: dict[str, int] = {}  # by drafter: how many tokens it could not stake on
        self.drafting = 0.0
        self.asked: str | None = None
        self.batch = 0  # with how many rows the draft is verified
        self._experience, self._curves, self._depth = experience, curves, depth
        self.leaving = leaving
        plain, *drafts = curves.relative(depth)
        self._costs = [plain, *(1.0 + margin * (cost - 1.0) + leaving for cost in drafts)]
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

        At the beginning of a step experience tells, unless there is so much to catch up with that
        the answer may end before that is earned back; a drafter that does not pay is asked whenever
        enough is saved for it, lest a change of topic goes unnoticed.
        """
        record = self._experience.of(drafter)
        left = self.limit - self._taken
        if left <= 0:
            return 0.0
        if self._taken == 0:
            missed = self._forward(lag) - self._each
            is_due = record.is_due(self._experience.steps, self._each, missed, lag)
            pays = missed <= 0.0 or self._repays(record, missed)
            return max(record.promise if pays else 0.0, PROBE if is_due else 0.0)
        chance = record.trust.typical
        sure, total, sums = self._sure, 0.0, []
        for _ in range(min(left, HORIZON)):
            sure *= chance
            total += sure
            sums.append(total)
        if not self._drafted_costs:
            self._drafted_costs = [cost + i * self._each for i, cost in enumerate(self._costs)]
        return self._best(sums, self._drafted_costs, self._forward(lag) - self._each)[1]

    def _repays(self, record: Record, missed: float) -> bool:
        """Whether a model may earn back what it must read, and would if it were always right."""
        repays = self._experience.repays
        if not repays(record.hope, missed):
            return False
        return repays(best_rate(self._curves, self._depth) - 1.0, missed)

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
        """Count tokens in. lag: how many tokens a model evaluated for them; 0: they were free. None
        come from a model that only read them.
        """
        trust = self._experience.of(drafter).trust
        if lag:
            cost = self._forward(lag)
            self.drafting += cost
            if not confidences:
                self._missed += cost
                self._experience.of(drafter).read(cost)
            elif not self._taken:
                self.asked = drafter
                self._missed += cost - self._each
        for confidence in confidences:
            self._sure *= trust.meet(confidence)
            self._expected += self._sure
        self._taken += len(confidences)
        rate = (1.0 + self._expected) / (self._costs[self._taken] + self.drafting)
        self._reached = max(self._reached, rate)

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Remember what a drafter would have drafted, to learn from that too: once, though it is
        looked up again where a model only read.
        """
        self.noted[drafter] = tokens, confidences

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

    def width(self, rows: int) -> int:
        """Return with how many rows verifying is cheapest in the long run."""
        self.batch = self._curves.width(rows, self._depth)
        return self.batch

    def brought(self, proposed: Draft, n: int) -> tuple[float, float]:
        """Return what verifying the first n tokens of the draft brings, and what that and asking
        for them bring together if nothing has to be caught up: that is done once. The price of
        asking is not higher than what the draft reaches either.
        """
        gains, price = self._weigh(proposed)
        tokens = 1.0 + gains[n] + price * (self._costs[n] - 1.0)
        cost = self._costs[n] + self.drafting_alone
        price = min(self._rate, max(1.0, tokens / cost))
        return gains[n], tokens - 1.0 - price * (cost - 1.0)

    @property
    def drafting_s(self) -> float:
        """What models should have taken so far."""
        return self.drafting * self._curves.target_s(1, self._depth) if self.drafting else 0.0

    @property
    def drafting_alone(self) -> float:
        """What drafting cost but for what had to be caught up with, in plain steps."""
        return self.drafting - self._missed

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
