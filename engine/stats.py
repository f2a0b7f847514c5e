"""The counters of one answer, and every figure that is derived from them.

Only counts and times are stored. Definitions: acceptance rate = accepted / tested; draft efficiency
= accepted / drafted; mean acceptance length = output tokens / steps (steps with an empty draft
count); decode_tps = tokens after the first step / time after it; prefill_tps = evaluated prompt
tokens / time to the first token; overhead = step time outside llama.cpp. speedup is an estimate
from what steps cost here (see Counters._speedup), and plain_tps = decode_tps / speedup.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from engine.costs import PlainCost, StepCosts
from engine.messages import DrafterStats, Stats
from engine.types import Step

FEWEST_STEPS = 4
"""An answer of no more steps says nothing of the gain."""


@dataclass(slots=True)
class _Share:
    drafted: int = 0
    accepted: int = 0
    steps: int = 0


@dataclass(slots=True)
class Counters:
    """What is counted while an answer is made.

    began_s: the clock when the request came in; plain_cost: what one plain step costs on this
    machine, which plain steps of this answer refine; None if that is unknown.
    """

    prompt_tokens: int
    cached_tokens: int
    began_s: float
    plain_cost: PlainCost | None = None
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
    last_was_plain: bool = False
    step_costs: StepCosts = field(default_factory=StepCosts)
    shares: dict[str, _Share] = field(default_factory=lambda: defaultdict(_Share))

    def count(self, step: Step, now_s: float) -> None:
        """Add a finished step."""
        if self.first_s is None:
            self.first_s, self.first_step_tokens = now_s, len(step.tokens)
        else:
            self.step_costs.observe(len(step.draft.tokens), step.step_s)
        if (
            self.steps
            and self.plain_cost is not None
            and not step.draft.tokens
            and self.last_was_plain
        ):
            self.plain_cost.observe(step.step_s)
        self.last_was_plain = self.steps > 0 and not step.draft.tokens
        self.last_s = now_s
        self.near_ties.extend(self.output_tokens + i for i in step.near_ties)
        self.output_tokens += len(step.tokens)
        self.steps += 1
        self.drafted += len(step.draft.tokens)
        self.accepted += step.accepted
        self.tested += step.tested
        self.overhead_s += step.step_s - step.llama_s
        if step.draft.tokens:
            share = self.shares[step.draft.drafter]
            share.drafted += len(step.draft.tokens)
            share.accepted += step.accepted
            share.steps += 1

    def _speedup(self) -> float | None:
        """What plain steps for the same tokens would cost over what these steps cost.

        From the costs of costs.py, which leave the stalls of a busy machine out on both sides. An
        answer without drafts is plain decoding itself.
        """
        if not self.drafted:
            return 1.0
        if self.plain_cost is None or self.steps <= FEWEST_STEPS:
            return None
        n_tokens = self.output_tokens - self.first_step_tokens
        return _ratio(n_tokens * self.plain_cost.step_s, self.step_costs.total_s)

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
        )


def _ratio(a: float | None, b: float | None) -> float | None:
    """Return a / b; None if either is unknown or there is nothing to divide by."""
    return a / b if a is not None and b else None
