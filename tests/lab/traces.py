"""Answers as traces: what the target said, what a draft model would have drafted at every token,
and what forwards cost; recorded once, replayed on a simulated clock.

Replaying runs the real loop, session, drafters and policy. Only three things are played: decoders
that take the time which the trace says, the draft model's picks, and the target's tokens. The
lookup is no part of a trace, since it is a function of prompt and answer. Where a draft has left
the answer's text, the draft model's picks are those of its own continuation of the last right
token; all of them are rejected anyway.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.bench.taskset import builtin
from engine.assemble import Engine
from engine.automaton import Automaton
from engine.cache import TokenCache
from engine.costs import MOST_ROWS, CostCurves, Measurement
from engine.drafters.auto import Cascade
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.drafters.none import Plain
from engine.fixed_length import FixedLength
from engine.loading import probe_tokens
from engine.measuring import measure
from engine.messages import Message
from engine.session import Session
from engine.settings import PairSettings, SamplingSettings
from engine.speculate import speculate
from engine.stream import AnswerReader
from engine.types import NO_DRAFT, Draft, Drafter, Logits, Pick, Policy, Row, Step, Verdict
from engine.verifiers.coupled import Coupled
from tests.lab.contenders import THREADS

DEPTH = MOST_ROWS - 1
"""Tokens that are recorded of each continuation: no draft is longer."""
SEED = 7
SHARPENING_TOKENS = 120
WARM = 0.8
MEASUREMENTS = 3
NEVER = -1
"""A token that no answer holds."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a draft model drafts behind some text, and its confidence in each token."""

    tokens: tuple[int, ...]
    confidences: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One answer. model: [len(tokens)], the draft model's continuation of prompt + tokens[:t]."""

    task: str
    temperature: float
    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    model: tuple[Continuation, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """Traces, and the costs that they may be replayed at, by the target's name."""

    costs: dict[str, Measurement]
    traces: tuple[Trace, ...]


# Recording


def measure_costs(target: str, draft: str) -> Measurement:
    """Return what the pair's forwards cost: of some measurements the least, width by width."""
    target_s: dict[int, float] = {}
    draft_s: dict[int, float] = {}
    for _ in range(MEASUREMENTS):
        engine = Engine(PairSettings(target=target, draft=draft, threads=THREADS))
        cache = engine.parts().draft_cache
        assert cache is not None, "traces are of pairs with a draft model"
        drafting = measure(cache.decoder, None, probe_tokens(engine.model, MOST_ROWS + 1))
        for least, found in ((target_s, engine.curves.measured()), (draft_s, drafting)):
            least.update({n: min(s, least.get(n, s)) for n, s in found.target_s.items()})
        engine.free()
    return Measurement(target_s, draft_s)


def record(target: str, draft: str, predict: int) -> Iterator[Trace]:
    """Yield a trace for every item and temperature of the demo tasks; and, since a chat has one
    temperature, of all of them at WARM.
    """
    engine = Engine(PairSettings(target=target, draft=draft, threads=THREADS))
    try:
        for task in builtin("demo").tasks:
            for temperature in sorted({*task.temperatures, WARM}):
                for item in task.items:
                    asked = [Message(role=role, content=text) for role, text in item.messages]
                    prompt = engine.template.tokens(asked)
                    sampling = SamplingSettings(temperature=temperature, seed=SEED)
                    most = min(item.predict, predict)
                    yield _trace(engine, task.name, prompt, sampling, most)
    finally:
        engine.free()


def _trace(
    engine: Engine, task: str, prompt: list[int], sampling: SamplingSettings, predict: int
) -> Trace:
    """Answer twice, with the draft model first: that teaches how sharply its picks are drawn."""
    cache, n_common = engine.parts().draft_cache, engine.parts().n_common
    assert cache is not None, "traces are of pairs with a draft model"
    drafter = DraftModel(cache, n_common)
    _say(engine, drafter, 4, prompt, sampling, min(predict, SHARPENING_TOKENS))
    said = _say(engine, Plain(), 0, prompt, sampling, predict)
    drafter.begin(prompt, Coupled(engine.sampler(sampling), engine.sharpness))
    context, model = list(prompt), []
    for token in said:
        found = drafter.propose(context, FixedLength(DEPTH).allow(DEPTH, len(context)))
        confidences = tuple(round(confidence, 4) for confidence in found.confidences)
        model.append(Continuation(found.tokens, confidences))
        drafter.observe(Step(NO_DRAFT, (token,), 0, 0, (), 0.0, 0.0))
        context.append(token)
    return Trace(task, sampling.temperature, tuple(prompt), tuple(said), tuple(model))


def _say(
    engine: Engine,
    drafter: Drafter,
    n: int,
    prompt: list[int],
    sampling: SamplingSettings,
    most: int,
) -> list[int]:
    """Answer with at most `most` tokens, n of them drafted in a step."""
    model, session = engine.model, engine.session
    room = session.n_ctx - len(prompt)
    reader = AnswerReader(model.piece, model.is_end, room, most, engine.template.stop)
    verifier = Coupled(engine.sampler(sampling), engine.sharpness)
    session.begin(prompt)
    session.prefill(lambda: False)
    drafter.begin(session.tokens, verifier)
    for _ in speculate(session, drafter, verifier, FixedLength(n), reader):
        pass
    return reader.tokens


# Other traces from recorded ones


def useless(trace: Trace, confidence: float | None = None) -> Trace:
    """Return the trace with a draft model that is always wrong, as sure as before or so sure."""
    wrong, sure = (NEVER,) * DEPTH, None if confidence is None else (confidence,) * DEPTH
    model = tuple(Continuation(wrong, sure or found.confidences) for found in trace.model)
    return replace(trace, model=model)


def perfect(trace: Trace, confidence: float = 0.99) -> Trace:
    """Return the trace with a draft model that is always right, and so sure."""
    padded = trace.tokens + (NEVER,) * DEPTH
    sure = (confidence,) * DEPTH
    model = (Continuation(padded[t : t + DEPTH], sure) for t in range(len(trace.tokens)))
    return replace(trace, model=tuple(model))


def permuted(trace: Trace) -> Trace:
    """Return the trace with the draft model's continuations at other tokens than their own."""
    model = list(trace.model)
    random.Random(SEED).shuffle(model)
    return replace(trace, model=tuple(model))


def joined(traces: Sequence[Trace]) -> Trace:
    """Return the answers as one, behind the first one's prompt."""
    tokens, model = zip(
        *(pair for t in traces for pair in zip(t.tokens, t.model, strict=True)), strict=True
    )
    return replace(traces[0], tokens=tokens, model=model)


def segments(traces: Sequence[Trace]) -> list[Trace]:
    """Return the parts of what `joined` gives, each behind all that was said before it."""
    prompt, parts = traces[0].prompt, []
    for trace in traces:
        parts.append(replace(trace, prompt=prompt))
        prompt += trace.tokens
    return parts


# Replaying


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
    """A decoder that only takes time. Its rows hold nothing."""

    n_ctx = n_batch = 1 << 20
    decode_s = 0.0

    def __init__(self, machine: Machine, seconds: Sequence[float]) -> None:
        self._machine, self._seconds = machine, seconds

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        """Take the time of it."""
        self._machine.spend(self._seconds, len(tokens))
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
        """Tokens that are still to be said; one at first, for no first step drafts."""
        return len(self._trace.tokens) - self._n_read if self._n_read else 1

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
        right = _agreement(history, self._trace.tokens[start:at])
        found, ahead = self._trace.model[start + right], len(history) - right
        return Pick(found.tokens[ahead], found.confidences[ahead])

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
    session = Session(TimedDecoder(machine, machine.target_s))
    session.begin(trace.prompt)
    session.forward(())
    session.commit(())
    cache = TokenCache(TimedDecoder(machine, machine.draft_s))
    cache.extend(trace.prompt[:-1], 0)
    built = {"lookup": Lookup(memory), "model": DraftModel(cache, 1)}
    drafter, script = Cascade([built[name] for name in members]), Script(trace)
    drafter.begin(session.tokens, script)
    return list(speculate(session, drafter, script, policy, script, lambda: machine.now_s))[1:]
