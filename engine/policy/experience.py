"""What is known of the drafters at one temperature, and how decoding went of late; it outlives an
answer. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.policy.credit import Credit
from engine.policy.earnings import Earnings
from engine.policy.purse import Purse
from engine.policy.trust import Trust

RATE_SPAN, RATE_CARRIED = 32.0, 8.0
"""Plain steps over which the rate is averaged, and as how many of them former answers count."""
FIRST_PROMISE, PROMISE_RATE, FORMER = 0.05, 1 / 12, 3
"""What asking a drafter is thought to bring at first; what one step changes of that at least; and
as how many steps of an answer all answers before it count."""
PROBE_SHARE, LOOK_SHARE = 0.006, 0.01
"""What may be spent, as a share of decoding, on asking a drafter that does not pay, and on looking
whether a draft is still dear.
"""
FIRST_SAVED, MOST_SAVED = 0.5, 1.0
"""Plain steps that may be spent on probes at first, and that a probe can leave for later ones."""
HOPE = 0.5
"""What asking a drafter may bring that was never asked."""
FIRST_LENGTH, LENGTH_RATE = 128.0, 0.5
"""Tokens that an answer is thought to get at first, and what one answer changes of that."""
SOONER = 0.5
"""The part of what is still to be said, as far as is known, that is counted on."""
LENT = 0.5
"""The part of what catching up costs that a probe may take before it is saved."""
RIGHT_SHARE = 0.25
"""The part of its cost that a probe counts as if the first token was right: the next is soon."""
PROBE = 1e-9
"""What a probe is worth: more than a plain step, less than anything else."""
COST_INTERVAL, MOST_COST_INTERVAL, SOON = 48, 768, 3
"""Steps without a verification after which a likely draft is verified, to see if it is still dear;
the interval doubles from one such step to the next."""
DRIFTED = 0.2
"""A logarithm: a pace that moved further since the last plain step calls for another one."""
PLAIN_EVERY = 192
"""Steps with drafts after which two plain ones show anew what plain decoding costs."""
FIRST_DOUBT, MOST_DOUBT = 6, 48
"""The same where there is a reason to doubt it; doubled with every such time that it holds."""
DECIDES = 0.5
"""A doubt counts if it is this part of the rate, both as logarithms: a plain step would have to be
much cheaper than thought to be better than drafts that say five tokens in its time.
"""


class Record:
    """What is known of one drafter.

    promise: what asking it brings a step, in plain steps, if it has missed nothing.
    """

    def __init__(self) -> None:
        self.trust = Trust()
        self.purse = Purse()
        self.credit = Credit()
        self.earnings = Earnings()
        self.promise = FIRST_PROMISE
        self._saved = FIRST_SAVED
        self._owed = 0.0
        self._asked_at = self._n_asked = 0
        self._is_new = True

    @property
    def hope(self) -> float:
        """What asking it may bring a step."""
        return HOPE if self._is_new else self.promise

    def is_due(self, now: int, each: float, missed: float, lag: int) -> bool:
        """Whether to ask it at this step though it does not pay: enough is saved, or was earned
        where the `lag` tokens that it missed cost more than is saved meanwhile, `missed`.
        """
        if self.saved(now) >= each + LENT * missed:
            return True
        is_outrun = LENT * missed > PROBE_SHARE * lag
        return is_outrun and self.earnings.afford(each + missed, now - self._asked_at)

    def saved(self, now: int) -> float:
        """Return how many plain steps may be spent on asking it at this step though it does not
        pay. There is no limit, for what it costs to ask grows with what the drafter has missed; of
        the two, what is saved grows faster where catching up is cheap.
        """
        return self._saved + PROBE_SHARE * (now - self._asked_at)

    def read(self, cost: float) -> None:
        """Take in that it read a part of what it has missed: that may be taken before it is saved
        as what catching up costs at once may, and the rest is owed until it is asked.
        """
        if self.promise <= 0.0:
            self._saved -= LENT * cost
            self._owed += (1.0 - LENT) * cost

    def asked(self, brought: float, cost: float, now: int, was_right: bool) -> None:
        """Take in what a step brought that the drafter was asked in, and what that cost with what
        it had missed; was_right: whether its first token was. Its credit has taken in the step.
        """
        spent = 0.0
        if self.promise <= 0.0 and not self.credit.is_left:
            spent = cost * RIGHT_SHARE if was_right else cost
            spent += self._owed
        else:
            self.earnings.earned(brought)
        gap = now - self._asked_at
        if spent and self.saved(now) < LENT * cost and self.earnings.afford(cost, gap):
            self.earnings.spent(spent)
            spent = 0.0
        self._owed = 0.0
        self._saved = min(MOST_SAVED, self.saved(now) - spent)
        self._asked_at = now
        self._n_asked += 1
        self._is_new = False
        rate = max(PROMISE_RATE, 1.0 / (FORMER + self._n_asked))
        self.promise += rate * (brought - self.promise)

    def begin(self, length: float) -> None:
        """A new answer may be about something else: learn quickly, and be cautious. length: the
        tokens that it is thought to get.
        """
        self._n_asked = 0
        self.credit.begin(length)
        self.earnings.begin()
        self.purse.begin()


class Experience:
    """What is known of the drafters at one temperature; it outlives an answer."""

    def __init__(self) -> None:
        self.steps = 0
        self.tokens = self.cost = 2.0
        self.steps_since_plain = 0
        self._was_off = self._doubts = False
        self._doubt = FIRST_DOUBT
        self.verified_at = 0
        self.cost_interval = COST_INTERVAL
        self._length, self._said = FIRST_LENGTH, 0
        self._records: dict[str, Record] = {}

    def of(self, drafter: str) -> Record:
        """Return the drafter's record."""
        found = self._records.get(drafter)
        if found is None:
            found = self._records[drafter] = Record()
        return found

    @property
    def records(self) -> Iterable[Record]:
        """Those of all drafters."""
        return self._records.values()

    def is_cost_probe_due(self, cost: float) -> bool:
        """Whether nothing was verified for so long that costs may have changed; cost: what a look
        takes, in plain steps. Looks that are dear are rare, unless the last one was cheap.
        """
        rare = 0.0 if self.cost_interval == SOON else min(cost / LOOK_SHARE, MOST_COST_INTERVAL)
        return self.steps - self.verified_at >= max(self.cost_interval, rare)

    def is_plain_due(self, drift: float) -> bool:
        """Whether it is time to see what a plain step costs.

        drift: how far it may be off, as a logarithm, as CostCurves has it.
        """
        self._doubts = drift > DRIFTED or self._was_off
        every = self._doubt if self._doubts else PLAIN_EVERY
        if self._doubts and max(drift, DRIFTED) < DECIDES * math.log(self.rate):
            every = MOST_DOUBT
        return self.steps_since_plain >= every

    def compared(self, was_off: bool) -> None:
        """Take in whether a plain step among others cost what was thought."""
        self._was_off = was_off
        if was_off:
            self._doubt = FIRST_DOUBT
        elif self._doubts:
            self._doubt = min(2 * self._doubt, MOST_DOUBT)

    def verified(self, brought: float, was_cheap: bool) -> None:
        """Take in that a draft was verified, what that was expected to bring, and whether it cost
        far less than was known: then the next look is soon. Twice running, and what asking was
        thought to bring was judged by costs that are not so: every drafter has a new chance.
        """
        self.verified_at = self.steps
        if was_cheap and self.cost_interval == SOON:
            for record in self.records:
                record.promise = max(record.promise, FIRST_PROMISE)
        doubled = min(2 * max(self.cost_interval, COST_INTERVAL // 2), MOST_COST_INTERVAL)
        self.cost_interval = COST_INTERVAL if brought > 0.0 else doubled
        if was_cheap:
            self.cost_interval = SOON

    def repays(self, hope: float, cost: float) -> bool:
        """Whether reading what a drafter has missed, for the cost of so many plain steps, is earned
        back before the answer ends: with as many tokens as are usual, or as many again as it has.

        hope: what asking it may bring a step. At R times the rate of plain decoding each token
        saves 1 - 1 / R plain steps.
        """
        ahead = SOONER * max(self._length - self._said, self._said)
        return cost <= ahead * (1.0 - 1.0 / (1.0 + max(0.0, hope)))

    @property
    def rate(self) -> float:
        """Tokens per plain step's time of late; never less than plain decoding's."""
        return max(1.0, self.tokens / self.cost)

    def earned(self, tokens: int, cost: float) -> None:
        """Take in a step's tokens, and what it cost."""
        kept = max(0.0, 1.0 - cost / RATE_SPAN)
        self.tokens = kept * self.tokens + tokens
        self.cost = kept * self.cost + cost
        self._said += tokens

    def begin(self) -> None:
        """Begin an answer."""
        if self._said:
            self._length += LENGTH_RATE * (self._said - self._length)
            self._said = 0
        if self.cost > RATE_CARRIED:
            self.tokens *= RATE_CARRIED / self.cost
            self.cost = RATE_CARRIED
        for record in self._records.values():
            record.begin(self._length)
