"""How many tokens to draft now, and whose. Pure: it sees confidences, costs and steps.

A plain step earns one token for T(1). A step with n draft tokens earns E(n) = 1 + the sum over k of
the chance that tokens 1 … k are all accepted, for T(n + 1) and the cost of drafting. The best
long-run rate is reached by taking in each step whatever makes E(n) - rate * cost(n) largest, where
`rate` is that rate itself (the optimal stopping rule of a renewal-reward process: Ross, Applied
Probability Models, 1970, chapter 7). Costs are counted in plain steps, so that the rate of plain
decoding is 1.

    Measured   does that: nothing is drafted where it does not pay, drafting stops inside a draft,
               and what turns out not to be worth verifying is cut
    FixedLength  the same number at every step (--draft-tokens N)
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.costs import MOST_ROWS, CostCurves
from engine.trust import Trust
from engine.types import Allowance, Draft, Step

HORIZON = 12
"""How many tokens ahead a drafter whose tokens are not known yet is looked at."""
LEAST_MARGIN, MOST_MARGIN = 0.03, 0.15
"""By how much drafting must beat its cost; between them the noise of the measurements decides."""
RATE_MEMORY = 1 - 1 / 32
FIRST_PROMISE, PROMISE_RATE = 0.2, 1 / 12
PROBE_SHARE = 0.01
"""What probing a drafter that does not pay may cost, as a share of decoding."""
PROBE = 1e-9
"""What a probe is worth: more than a plain step, less than anything else."""
FIRST_INTERVAL, MOST_INTERVAL, GROWTH = 4.0, 256.0, 1.5
PLAIN_EVERY = 192
"""Steps with drafts after which two plain ones show anew what plain decoding costs."""
COST_INTERVAL, MOST_COST_INTERVAL = 48, 768
"""Steps without a verification after which a likely draft is verified, to see if it is still dear;
the interval doubles from one such step to the next."""
LIKELY, TRIED = 0.6, 4
FIXED_CHANCE = 0.8


class FixedAllowance:
    """Exactly `limit` tokens, as far as drafters have any."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._taken = 0

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        """Return all that there is room for, and how many of them will be right."""
        n = min(len(confidences), self.limit - self._taken)
        sure, expected = 1.0, 0.0
        for confidence in confidences[:n]:
            sure *= confidence
            expected += sure
        return n, expected

    def outlook(self, drafter: str, lag: int) -> float:
        """Return how many tokens would be right if a model drafted the rest."""
        left = self.limit - self._taken
        return FIXED_CHANCE * (1 - FIXED_CHANCE**left) / (1 - FIXED_CHANCE)

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Count them."""
        self._taken += len(confidences)

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Learn nothing."""

    def keep(self, proposed: Draft) -> int:
        """Return all of them."""
        return len(proposed.tokens)


class FixedLength:
    """The same draft length at every step."""

    def __init__(self, length: int) -> None:
        self._length = length

    def allow(self, room: int, depth: int) -> FixedAllowance:
        """Grant the fixed length, or what there is room for."""
        return FixedAllowance(max(0, min(self._length, room)))

    def observe(self, step: Step) -> None:
        """Learn nothing: the length is fixed."""


class Record:
    """What is known of one drafter.

    promise: what asking it brings a step, in plain steps; interval: steps from one probe to the
    next while that is nothing; asked_at: the step it was last asked at; dear: what a probe takes.
    """

    def __init__(self) -> None:
        self.trust = Trust()
        self.promise = FIRST_PROMISE
        self.interval = FIRST_INTERVAL
        self.asked_at = 0
        self.dear = 0.0

    def asked(self, brought: float, cost: float, now: int) -> None:
        """Take in what a step brought that the drafter was asked in, and what that cost."""
        self.promise += PROMISE_RATE * (brought - self.promise)
        self.asked_at = now
        self.dear += PROMISE_RATE * (cost / PROBE_SHARE - self.dear)
        grown = FIRST_INTERVAL if self.promise > 0.0 else GROWTH * self.interval
        self.interval = min(max(grown, self.dear), max(MOST_INTERVAL, self.dear))

    def begin(self) -> None:
        """A new answer may be about something else: probe soon."""
        self.interval = max(FIRST_INTERVAL, self.dear)


class Experience:
    """What is known of the drafters at one temperature; it outlives an answer."""

    def __init__(self) -> None:
        self.steps = 0
        self.steps_since_plain = 0
        self.verified_at = 0
        self.cost_interval = COST_INTERVAL
        self._records: dict[str, Record] = {}

    def of(self, drafter: str) -> Record:
        """Return the drafter's record."""
        found = self._records.get(drafter)
        if found is None:
            found = self._records[drafter] = Record()
        return found

    @property
    def is_cost_probe_due(self) -> bool:
        """Whether nothing was verified for so long that costs may have changed."""
        return self.steps - self.verified_at >= self.cost_interval

    def verified(self, brought: float) -> None:
        """Take in that a draft was verified, and what that was expected to bring."""
        self.verified_at = self.steps
        doubled = min(2 * self.cost_interval, MOST_COST_INTERVAL)
        self.cost_interval = COST_INTERVAL if brought > 0.0 else doubled

    def begin(self) -> None:
        """Begin an answer."""
        for record in self._records.values():
            record.begin()


class Budget:
    """What one step may draft, and the worth of what it has drafted so far."""

    def __init__(
        self,
        experience: Experience,
        curves: CostCurves,
        limit: int,
        depth: int,
        price: float,
    ) -> None:
        """price: tokens that one plain step's time must bring."""
        self.limit = limit
        self.noted: list[tuple[str, Sequence[int], Sequence[float]]] = []
        self.drafting = 0.0
        self.asked: str | None = None
        self._experience, self._curves, self._depth = experience, curves, depth
        self._costs = curves.relative(depth)
        self._price = price
        self._taken = 0
        self._sure = 1.0

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        """Return how many of these tokens to add, and what they bring: [0, 0.0] if they do not."""
        trust = self._experience.of(drafter).trust
        costs, price, n = self._costs, self._price, self._taken
        here, sure = costs[n], self._sure
        expected = gain = 0.0
        best = 0
        for i, confidence in enumerate(confidences[: self.limit - n], 1):
            sure *= trust.chance(confidence)
            expected += sure
            now = expected - price * (costs[n + i] - here)
            if now > gain:
                best, gain = i, now
        return best, gain

    def outlook(self, drafter: str, lag: int) -> float:
        """Return what drafting on with a model promises, whose tokens are not known yet.

        At the beginning of a step experience tells; a drafter that does not pay is asked at
        intervals, lest a change of topic goes unnoticed.
        """
        record = self._experience.of(drafter)
        n, left = self._taken, self.limit - self._taken
        if left <= 0:
            return 0.0
        if n == 0:
            is_due = self._experience.steps - record.asked_at >= record.interval
            return max(record.promise, PROBE if is_due else 0.0)
        one = self._curves.draft_relative(1, self._depth)
        spent = self._curves.draft_relative(lag, self._depth)
        costs, price, sure = self._costs, self._price, self._sure
        here, chance = costs[n], record.trust.typical
        expected = gain = 0.0
        for i in range(1, min(left, HORIZON) + 1):
            sure *= chance
            expected += sure
            gain = max(gain, expected - price * (costs[n + i] - here + spent))
            spent += one
        return gain

    def take(self, drafter: str, confidences: Sequence[float], lag: int = 0) -> None:
        """Count tokens in. lag: how many tokens a model evaluated for them; 0: they were free."""
        trust = self._experience.of(drafter).trust
        for confidence in confidences:
            chance = trust.chance(confidence)
            self._sure *= chance
            trust.meet(chance)
        self._taken += len(confidences)
        if lag:
            self.drafting += self._curves.draft_relative(lag, self._depth)
            if self._taken == len(confidences):
                self.asked = drafter

    def note(self, drafter: str, tokens: Sequence[int], confidences: Sequence[float]) -> None:
        """Remember what a drafter would have drafted, to learn from that too."""
        self.noted.append((drafter, tokens, confidences))

    def keep(self, proposed: Draft) -> int:
        """Return how many tokens of the draft are worth verifying."""
        gains = self.gains(proposed)
        best = gains.index(max(gains))
        if not best and self._experience.is_cost_probe_due:
            best = self._worth_a_try(proposed)
        return best

    def _worth_a_try(self, proposed: Draft) -> int:
        """Return how many tokens of a draft that seems too dear to verify to see if it is: as many
        as will probably be right.
        """
        sure, n = 1.0, 0
        for origin, confidence in zip(proposed.origins, proposed.confidences, strict=True):
            sure *= self._experience.of(origin).trust.chance(confidence)
            if sure < LIKELY or n == TRIED:
                break
            n += 1
        return n

    def gains(self, draft: Draft) -> list[float]:
        """Return what verifying 0, 1, … tokens of the draft brings, drafting aside."""
        costs, price, of = self._costs, self._price, self._experience.of
        sure, expected, gains = 1.0, 0.0, [0.0]
        for i, (origin, confidence) in enumerate(
            zip(draft.origins, draft.confidences, strict=True), 1
        ):
            sure *= of(origin).trust.chance(confidence)
            expected += sure
            gains.append(expected - price * (costs[i] - 1.0))
        return gains


class Measured:
    """The policy of one answer over what is known from answers before."""

    def __init__(self, experience: Experience, curves: CostCurves) -> None:
        experience.begin()
        self._experience, self._curves = experience, curves
        self._margin = 1.0 + min(MOST_MARGIN, max(LEAST_MARGIN, curves.noise))
        self._tokens = self._cost = 8.0
        self._budget: Budget | None = None
        self._depth = 0
        self._was_plain = False
        self._steps = 0

    @property
    def rate(self) -> float:
        """Tokens per plain step's time of late; never less than plain decoding's."""
        return max(1.0, self._tokens / self._cost)

    def allow(self, room: int, depth: int) -> Allowance:
        """Grant what can be verified; nothing where a plain step is due, nor in the first step, so
        that the first token is there as soon as it can be.
        """
        plain_due = self._experience.steps_since_plain >= PLAIN_EVERY
        is_first = not self._steps
        limit = 0 if plain_due or is_first else max(0, min(room, MOST_ROWS - 1))
        self._depth = depth
        price = self.rate * self._margin
        self._budget = Budget(self._experience, self._curves, limit, depth, price)
        return self._budget

    def observe(self, step: Step) -> None:
        """Learn how good drafts were, what the step cost, and what asking was worth."""
        budget = self._budget
        if budget is None:
            return
        proposed = step.proposed
        self._learn(proposed.origins, proposed.tokens, proposed.confidences, step.tokens)
        for drafter, tokens, confidences in budget.noted:
            if drafter not in proposed.origins[:1]:
                self._learn((drafter,) * len(tokens), tokens, confidences, step.tokens)
        self._observe_costs(step, budget)
        self._observe_rate(step, budget)
        self._experience.steps += 1
        if step.draft.tokens:
            self._experience.verified(budget.gains(step.draft)[-1])
        if budget.asked is not None:
            brought = budget.gains(step.draft)[-1] - self.rate * budget.drafting
            record = self._experience.of(budget.asked)
            record.asked(brought, budget.drafting, self._experience.steps)
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

    def _observe_rate(self, step: Step, budget: Budget) -> None:
        cost = self._curves.relative(self._depth)[len(step.draft.tokens)] + budget.drafting
        self._tokens = RATE_MEMORY * self._tokens + len(step.tokens)
        self._cost = RATE_MEMORY * self._cost + cost
