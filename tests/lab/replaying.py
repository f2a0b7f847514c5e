"""Recorded answers (traces.py) made once more, on a simulated clock.

Replaying runs the real loop, session, drafters and policy. Only three things are played: decoders
that take the time which the trace says, the draft model's picks, and the target's tokens. Where a
draft has left the answer's text, or run past its end, the draft model's picks are those of its own
continuation of the last right token; all of them are rejected anyway.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from engine.arrays import Logits, Row
from engine.cache.tokens import TokenCache
from engine.costs.curves import CostCurves, Measurement
from engine.costs.shape import MOST_ROWS
from engine.drafters.auto import Cascade
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.drafting.automaton import Automaton
from engine.session import Session
from engine.speculate import speculate
from engine.types import Draft, Pick, Policy, Step, Verdict
from tests.lab.traces import SEED, Trace


class Machine:
    """A clock that forwards move on. noise: the standard deviation of a forward's logarithm."""

    def __init__(self, measured: Measurement, noise: float = 0.0) -> None:
        curves = CostCurves(measured)
        rows = range(1, MOST_ROWS + 1)
        self.now_s = 0.0
        self.target_s = [0.0, *(curves.target_s(n, 0) for n in rows)]
        self.draft_s = [0.0, *(curves.draft_s(n) for n in rows)]
        self.measured = measured
        self._noise, self._rng = noise, random.Random(SEED)

    def spend(self, seconds: Sequence[float], n_tokens: int) -> None:
        """Let a forward of so many tokens pass; beyond what is known each token adds the same."""
        known = min(n_tokens, MOST_ROWS)
        each = (seconds[-1] - seconds[1]) / (MOST_ROWS - 1)
        cost = seconds[known] + each * (n_tokens - known)
        self.now_s += cost * math.exp(self._rng.gauss(0.0, self._noise))


class TimedDecoder:
    """A decoder that only takes time. Its rows hold nothing.

    returning_s: what single tokens take longer, together, until they are settled.
    """

    n_ctx = n_batch = 1 << 20
    decode_s = 0.0

    def __init__(
        self, machine: Machine, seconds: Sequence[float], returning_s: float = 0.0
    ) -> None:
        self.settles = machine.measured.settles
        self._machine, self._seconds, self._returning_s = machine, seconds, returning_s
        self._run = 0  # single tokens of late

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        """Take the time of it."""
        self._machine.spend(self._seconds, len(tokens))
        if len(tokens) == 1 and self._run < self.settles:
            self._machine.now_s += self._returning_s / self.settles
        self._run = self._run + 1 if len(tokens) == 1 else 0
        return np.zeros((n_rows, 1), np.float32)

    def drop(self, start: int) -> None:
        """Nothing to forget."""


class Script:
    """The verifier that plays the target and the draft model's picks, and reads what is said."""

    name = "script"
    cuts = keyed = True

    def __init__(self, trace: Trace) -> None:
        self._trace, self._n_prompt, self._n_read = trace, len(trace.prompt), 0

    @property
    def room(self) -> int:
        """Tokens that the answer may still have, for nobody knows where it ends; one at first, for
        no first step drafts.
        """
        most = max(self._trace.predict, len(self._trace.tokens))
        return most - self._n_read if self._n_read else 1

    def read(self, token: int, origin: str) -> str | None:
        """Count a token; the answer ends with its last."""
        self._n_read += 1
        return None if self._n_read < len(self._trace.tokens) else "length"

    def window(self, context: Sequence[int]) -> list[int]:
        """Return nothing: so `pick` sees the draft alone."""
        return []

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """Return what the draft model drafts at `position` behind the drafted tokens `history`."""
        at = position - self._n_prompt
        start = at - len(history)
        right = start + _agreement(history, self._trace.tokens[start:at])
        last = min(right, len(self._trace.model) - 1)  # behind the answer's end nothing is recorded
        found = self._trace.model[last]
        return Pick(found.tokens[at - last], found.confidences[at - last])

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Compare the draft with what is said next."""
        start = len(context) - self._n_prompt
        coming = self._trace.tokens[start : start + len(draft.tokens) + 1]
        accepted = _agreement(draft.tokens, coming)
        return Verdict(coming[: accepted + 1], accepted)


def _agreement(some: Sequence[int], others: Sequence[int]) -> int:
    for n, (one, other) in enumerate(zip(some, others, strict=False)):
        if one != other:
            return n
    return min(len(some), len(others))


def replay(
    trace: Trace,
    machine: Machine,
    policy: Policy,
    members: Sequence[str] = ("lookup", "model"),
    memory: Automaton | None = None,
) -> list[Step]:
    """Make the trace's answer with these drafters and this policy, its prompt read.

    Returns the steps behind the first, which is plain, and in a real answer holds the prefill.
    """
    session = Session(TimedDecoder(machine, machine.target_s, machine.measured.returning_s))
    session.begin(trace.prompt)
    session.forward(())
    session.commit(())
    cache = TokenCache(TimedDecoder(machine, machine.draft_s))
    cache.extend(trace.prompt[:-1], 0)
    is_end = trace.is_end
    built = {"lookup": Lookup(memory, is_end), "model": DraftModel(cache, 1, is_end)}
    drafter, script = Cascade([built[name] for name in members], is_end), Script(trace)
    drafter.begin(session.tokens, script)
    return list(speculate(session, drafter, script, policy, script, lambda: machine.now_s))[1:]
