"""The counters of one answer, and every figure that is derived from them.

Only counts and times are stored. Definitions: acceptance rate = accepted / tested; draft efficiency
= accepted / drafted; mean acceptance length = output tokens / steps (steps with an empty draft
count); decode_tps = tokens after the first step / time after it; prefill_tps = evaluated prompt
tokens / time to the first token; overhead = step time outside llama.cpp. speedup is an estimate
from the cost curves (see Counters._speedup), and plain_tps = decode_tps / speedup.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import accumulate

from engine.costs.curves import CostCurves
from engine.costs.shape import MOST_ROWS
from engine.messages import DrafterStats, Stats
from engine.types import Step

FEWEST_STEPS = 2
"""An answer of no more steps says nothing of the gain: one of them alone would be compared. The
small embedded pair says a short answer in three."""
STALL = 4.0
"""A step that takes so many times what it should was a stall of the machine, and counts as none."""


@dataclass(slots=True)
class _Share:
    drafted: int = 0
    accepted: int = 0
    steps: int = 0


@dataclass(slots=True)
class Counters:
    """What is counted while an answer is made.

    began_s: the clock when the request came in; curves: what steps cost on this machine; None if
    that is unknown; tests, acceptances: [longest draft tested + 1], steps by how many draft tokens
    were tested, or accepted.
    """

    prompt_tokens: int
    cached_tokens: int
    began_s: float
    curves: CostCurves | None = None
    output_tokens: int = 0
    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    tested: int = 0
    near_ties: list[int] = field(default_factory=list)
    first_step_tokens: int = 0
    first_s: float | None = None
    last_s: float = 0.0
    overhead_s: float = 0.0
    plain_s: float = 0.0
    spent_s: float = 0.0
    tests: list[int] = field(default_factory=list)
    acceptances: list[int] = field(default_factory=list)
    shares: dict[str, _Share] = field(default_factory=lambda: defaultdict(_Share))

    def count(self, step: Step, now_s: float) -> None:
        """Add a finished step."""
        if self.first_s is None:
            self.first_s, self.first_step_tokens = now_s, len(step.tokens)
        elif self.curves is not None:
            self._compare(step, self.curves)
        self.last_s = now_s
        if step.near_ties:
            self.near_ties.extend(self.output_tokens + i for i in step.near_ties)
        self.output_tokens += len(step.tokens)
        self.steps += 1
        self.drafted += len(step.draft.tokens)
        self.accepted += step.accepted
        self.tested += step.tested
        self.overhead_s += step.step_s - step.llama_s
        while step.tested >= len(self.tests):
            self.tests.append(0)
            self.acceptances.append(0)
        self.tests[step.tested] += 1
        self.acceptances[step.accepted] += 1
        if step.draft.tokens:
            self._count_shares(step)

    def _count_shares(self, step: Step) -> None:
        """Count by drafter; a step belongs to whoever began its draft."""
        draft = step.draft
        first = self.shares[draft.drafter]
        first.steps += 1
        if not draft.drafters:
            first.drafted += len(draft.tokens)
            first.accepted += step.accepted
            return
        for place, origin in enumerate(draft.drafters):
            share = self.shares[origin]
            share.drafted += 1
            share.accepted += place < step.accepted

    def _compare(self, step: Step, curves: CostCurves) -> None:
        """Add up what plain steps for these tokens would cost, and what this one did."""
        depth = self.prompt_tokens + self.output_tokens
        verify_s = curves.target_s(min(len(step.draft.tokens) + 1, MOST_ROWS), depth)
        spent_s = min(step.step_s, STALL * (verify_s + step.expected_draft_s))
        self.spent_s += spent_s
        self.plain_s += plain_s(step, spent_s, curves, depth)

    def _speedup(self) -> float | None:
        """What plain steps for the same tokens would cost over what these steps cost.

        An answer in which no time went to drafts is plain decoding itself.
        """
        if not self.drafted and self.plain_s == self.spent_s:
            return 1.0
        if self.curves is None or self.steps <= FEWEST_STEPS:
            return None
        return _ratio(self.plain_s, self.spent_s)

    def stats(self) -> Stats:
        """Return all figures so far; None where there is nothing to divide by."""
        ttft_s = None if self.first_s is None else self.first_s - self.began_s
        decode_s = 0.0 if self.first_s is None else self.last_s - self.first_s
        decode_tps = _ratio(self.output_tokens - self.first_step_tokens, decode_s)
        speedup = self._speedup() if decode_tps else None
        return Stats(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            steps=self.steps,
            drafted=self.drafted,
            accepted=self.accepted,
            tested=self.tested,
            acceptance_rate=_ratio(self.accepted, self.tested),
            draft_efficiency=_ratio(self.accepted, self.drafted),
            mean_acceptance_length=_ratio(self.output_tokens, self.steps),
            near_ties=list(self.near_ties),
            ttft_s=ttft_s,
            prefill_tps=_ratio(self.prompt_tokens - self.cached_tokens, ttft_s),
            decode_tps=decode_tps,
            plain_tps=_ratio(decode_tps, speedup),
            speedup=speedup,
            drafters={
                name: DrafterStats(share.drafted, share.accepted, share.steps)
                for name, share in self.shares.items()
            },
            engine_overhead_s=self.overhead_s,
            tested_at=_by_place(self.tests),
            accepted_at=_by_place(self.acceptances),
            first_step_tokens=self.first_step_tokens,
            decode_s=decode_s,
        )


def plain_s(step: Step, took_s: float, curves: CostCurves, depth: int) -> float:
    """Return what plain decoding would have taken for the tokens of a step that took so long.

    A step that verified no draft was plain decoding, so it is its own measure, whatever the machine
    did meanwhile; only what was drafted, or read by a draft model, in vain comes on top.
    """
    if step.draft.tokens:
        return len(step.tokens) * curves.target_s(1, depth)
    is_in_vain = step.proposed.tokens or step.expected_draft_s
    return min(took_s, step.step_s - step.draft_s) if is_in_vain else took_s


def _by_place(by_length: list[int]) -> list[int]:
    """Return how many steps reached each place in the draft: [longest draft tested]."""
    return list(accumulate(by_length[:0:-1]))[::-1]


def _ratio(a: float | None, b: float | None) -> float | None:
    """Return a / b; None if either is unknown or there is nothing to divide by."""
    return a / b if a is not None and b else None
