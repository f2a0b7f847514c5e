"""What is known of the drafters at one temperature, and how decoding went of late; it outlives an
answer. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.purse import Purse
from engine.trust import Trust

RATE_SPAN, RATE_CARRIED = 32.0, 8.0
"""Plain steps over which the rate is averaged, and as how many of them former answers count."""
FIRST_PROMISE, PROMISE_RATE = 0.05, 1 / 12
PROBE_SHARE, LOOK_SHARE = 0.006, 0.01
"""What may be spent, as a share of decoding, on asking a drafter that does not pay, and on looking
whether a draft is still dear.
"""
RIGHT_SHARE = 0.25
"""How much sooner a drafter is asked again whose first token was right."""
PROBE = 1e-9
"""What a probe is worth: more than a plain step, less than anything else."""
FIRST_INTERVAL, MOST_INTERVAL, GROWTH = 4.0, 8.0, 1.5
"""Steps from one probe to the next; more where PROBE_SHARE wants it."""
COST_INTERVAL, MOST_COST_INTERVAL, SOON = 48, 768, 3
"""Steps without a verification after which a likely draft is verified, to see if it is still dear;
the interval doubles from one such step to the next."""


class Record:
    """What is known of one drafter.

    promise: what asking it brings a step, in plain steps; interval: steps from one probe to the
    next while that is nothing; asked_at: the step it was last asked at; dear: what a probe takes.
    """

    def __init__(self) -> None:
        self.trust = Trust()
        self.purse = Purse()
        self.promise = FIRST_PROMISE
        self.interval = FIRST_INTERVAL
        self.asked_at = 0
        self.dear = 0.0

    def asked(self, brought: float, cost: float, now: int, was_right: bool) -> None:
        """Take in what a step brought that the drafter was asked in, and what that cost; was_right:
        whether its first token was. Then it is asked again soon.
        """
        self.promise += PROMISE_RATE * (brought - self.promise)
        self.asked_at = now
        self.dear += PROMISE_RATE * (cost / PROBE_SHARE - self.dear)
        grown = FIRST_INTERVAL if self.promise > 0.0 else GROWTH * max(self.interval, 1.0)
        waits = max(min(grown, MOST_INTERVAL), self.dear)
        self.interval = self.dear * RIGHT_SHARE if was_right else waits

    def begin(self) -> None:
        """A new answer may be about something else: probe soon, and be cautious."""
        self.interval = max(FIRST_INTERVAL, self.dear)
        self.purse.begin()


class Experience:
    """What is known of the drafters at one temperature; it outlives an answer."""

    def __init__(self) -> None:
        self.steps = 0
        self.tokens = self.cost = 2.0
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
    def records(self) -> Iterable[Record]:
        """Those of all drafters."""
        return self._records.values()

    def is_cost_probe_due(self, cost: float) -> bool:
        """Whether nothing was verified for so long that costs may have changed; cost: what a look
        takes, in plain steps. Looks that are dear are rare, unless the last one was cheap.
        """
        rare = 0.0 if self.cost_interval == SOON else min(cost / LOOK_SHARE, MOST_COST_INTERVAL)
        return self.steps - self.verified_at >= max(self.cost_interval, rare)

    def verified(self, brought: float, was_cheap: bool) -> None:
        """Take in that a draft was verified, what that was expected to bring, and whether it cost
        far less than was known: then the next look is soon.
        """
        self.verified_at = self.steps
        doubled = min(2 * max(self.cost_interval, COST_INTERVAL // 2), MOST_COST_INTERVAL)
        self.cost_interval = COST_INTERVAL if brought > 0.0 else doubled
        if was_cheap:
            self.cost_interval = SOON

    @property
    def rate(self) -> float:
        """Tokens per plain step's time of late; never less than plain decoding's."""
        return max(1.0, self.tokens / self.cost)

    def earned(self, tokens: int, cost: float) -> None:
        """Take in a step's tokens, and what it cost."""
        kept = max(0.0, 1.0 - cost / RATE_SPAN)
        self.tokens = kept * self.tokens + tokens
        self.cost = kept * self.cost + cost

    def begin(self) -> None:
        """Begin an answer."""
        if self.cost > RATE_CARRIED:
            self.tokens *= RATE_CARRIED / self.cost
            self.cost = RATE_CARRIED
        for record in self._records.values():
            record.begin()
