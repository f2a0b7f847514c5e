"""A world for the policy: what forwards cost, what drafters claim and when they are right.

The target says token p at position p, so a drafted token is right if it is its position, and wrong
if it is WRONG. Drafts grow as they do in the engine (drafting/growing.py), and times are what the
world's own curves say, not what the policy thinks.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS
from engine.drafting.growing import Growing, Source, grow
from engine.policy.budget import Budget
from engine.policy.experience import Experience
from engine.policy.measured import Measured
from engine.types import NO_DRAFT, Allowance, Draft, Policy, Step
from tests.engine.fakes import step

WRONG = -1
MODEL, LOOKUP = "draft_model", "lookup"
FLAT = {n: 1.0 + 0.04 * (n - 1) for n in range(1, MOST_ROWS + 1)}
"""A machine where a row more costs little."""
STEEP = {n: 1.0 + 0.4 * (n - 1) for n in range(1, MOST_ROWS + 1)}

Claims = Callable[[int], tuple[float, bool]]
"""The confidence of the token at a position, and whether it is right."""


def always(confidence: float, right: bool) -> Claims:
    return lambda position: (confidence, right)


def chance(confidence: float, rightness: float, seed: int = 1) -> Claims:
    """Right with this chance, the same at a position whenever it is asked."""
    return lambda p: (confidence, random.Random(seed * 1_000_003 + p).random() < rightness)


@dataclass(slots=True)
class Model:
    """A draft model: its tokens are known one by one, each for a forward.

    missed: what of a forward each token costs that it has missed; None: it misses nothing.
    """

    claims: Claims
    name: str = MODEL
    missed: float | None = None
    forwards: float = 0
    held: int = 0

    def lag(self, position: int) -> int:
        return 1 if self.missed is None else max(1, position - self.held)

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        return allowance.outlook(self.name, self.lag(len(context) + len(draft)))

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        position = len(context) + len(draft)
        confidence, right = self.claims(position)
        lag = self.lag(position)
        self.held = position
        self.forwards += 1 + (self.missed or 0.0) * (lag - 1)
        draft.add(self.name, position if right else WRONG, confidence)
        allowance.take(self.name, (confidence,), lag)


@dataclass(slots=True)
class Found:
    """A lookup: its tokens are known at once, and free."""

    claims: Claims
    n: int = 8
    name: str = LOOKUP
    found: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        at = len(context) + len(draft)
        claims = [(p, *self.claims(p)) for p in range(at, at + self.n)]
        self.found = (
            tuple(p if right else WRONG for p, _, right in claims),
            tuple(confidence for _, confidence, _ in claims),
        )
        if not draft:
            allowance.note(self.name, *self.found)
        return allowance.value(self.name, self.found[1])[1]

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        n, _ = allowance.value(self.name, self.found[1])
        for token, confidence in zip(self.found[0][:n], self.found[1][:n], strict=True):
            draft.add(self.name, token, confidence)
        allowance.take(self.name, self.found[1][:n])


@dataclass(slots=True)
class World:
    """True costs in seconds by width, and of one draft forward; what is measured may be another.

    settles, returning_s: as `Measurement` has them. replays: whether a width that returns settles
    as plain decoding does, and then costs so much less. cuts: as the verifier has it.
    """

    target_s: Mapping[int, float] = field(default_factory=lambda: FLAT)
    draft_s: float | None = 0.02
    measured: Mapping[int, float] | None = None
    noise: float = 0.03
    widest: float = 2.0  # what the widest draft forward costs, in narrow ones
    settles: int = 1
    returning_s: float = 0.0
    replays: bool = False
    cuts: bool = True
    plain_run: int = 0
    before: int = 0
    same: int = 0

    def curves(self) -> CostCurves:
        drafts = (
            {} if self.draft_s is None else {1: self.draft_s, MOST_ROWS: self.widest * self.draft_s}
        )
        known = self.measured or self.target_s
        return CostCurves(Measurement(known, drafts, self.noise, self.settles, self.returning_s))

    def policy(self, experience: Experience | None = None) -> Measured:
        return Measured(experience or Experience(), self.curves())

    def run(
        self, policy: Policy, sources: Sequence[Source], steps: int, start: int = 100
    ) -> list[Step]:
        """Go on for so many steps, and return them."""
        made, n = [], start
        for _ in range(steps):
            context = range(n)
            allowance = policy.allow(200, n)
            before = sum(s.forwards for s in sources if isinstance(s, Model))
            uncut = grow(sources, context, allowance) if allowance.limit > 0 else NO_DRAFT
            draft = uncut.first(allowance.keep(uncut)) if self.cuts else uncut
            forwards = sum(s.forwards for s in sources if isinstance(s, Model)) - before
            draft_s = forwards * (self.draft_s or 0.0)
            batch = allowance.width(len(draft.tokens) + 1) if draft.tokens else 1
            made.append(self.verified(n, draft, uncut, draft_s, batch))
            policy.observe(made[-1])
            n += len(made[-1].tokens)
        return made

    def verified(self, n: int, draft: Draft, uncut: Draft, draft_s: float, batch: int) -> Step:
        accepted = 0
        while accepted < len(draft.tokens) and draft.tokens[accepted] == n + accepted:
            accepted += 1
        said = range(n, n + accepted + 1)
        step_s = draft_s + self.target_s[batch]
        self.same = self.same + 1 if batch == self.before else 0
        self.before = batch
        if self.replays and draft.tokens and self.same >= self.settles:
            step_s -= self.returning_s / self.settles
        if not draft.tokens and self.plain_run < self.settles:
            step_s += self.returning_s / self.settles
        self.plain_run = 0 if draft.tokens else self.plain_run + 1
        return step(tuple(said), draft, uncut, step_s, draft_s, batch)


def widths(steps: Sequence[Step]) -> list[int]:
    """How many tokens were verified in each step."""
    return [len(s.draft.tokens) for s in steps]


def drafted(steps: Sequence[Step]) -> list[int]:
    """How many tokens were drafted in each step."""
    return [len(s.proposed.tokens) for s in steps]


def rate(steps: Sequence[Step]) -> float:
    """Tokens per second."""
    return sum(len(s.tokens) for s in steps) / sum(s.step_s for s in steps)


def budget(policy: Policy, room: int = 200, depth: int = 100) -> Budget:
    """The next step's, behind the first step of an answer."""
    found = policy.allow(room, depth)
    assert isinstance(found, Budget)
    return found


def warmed(world: World, experience: Experience | None = None) -> Measured:
    """A policy behind the first step of its answer."""
    policy = world.policy(experience)
    world.run(policy, [], 1)
    return policy
