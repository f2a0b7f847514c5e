"""Answers as traces: what the target said, what a draft model would have drafted at every token,
and what forwards cost; recorded once, and replayed on a simulated clock (replaying.py).

The lookup is no part of a trace, since it is a function of prompt and answer.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.bench.taskset import builtin
from engine.assemble import Engine
from engine.costs.curves import Measurement
from engine.costs.measuring import measure
from engine.costs.shape import MOST_ROWS
from engine.drafters.draft_model import DraftModel
from engine.drafters.none import Plain
from engine.loading.models import probe_tokens
from engine.messages import Message
from engine.policy.fixed_length import FixedLength
from engine.settings import PairSettings, SamplingSettings
from engine.speculate import speculate
from engine.stream import AnswerReader
from engine.types import NO_DRAFT, Drafter, Step
from engine.verifiers.coupled import Coupled
from tests.lab.contenders import THREADS

DEPTH = MOST_ROWS - 1
"""Tokens that are recorded of each continuation: no draft is longer."""
PREDICT = 240
"""Tokens that an answer may have, unless it is said."""
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
    """One answer. model: [len(tokens)], the draft model's continuation of prompt + tokens[:t];
    predict: tokens that it might have had.
    """

    task: str
    temperature: float
    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    model: tuple[Continuation, ...]
    predict: int = PREDICT

    def is_end(self, token: int) -> bool:
        """Whether a token ended the answer."""
        return len(self.tokens) < self.predict and token == self.tokens[-1]


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
    returning_s = math.inf
    for _ in range(MEASUREMENTS):
        engine = Engine(PairSettings(target=target, draft=draft, threads=THREADS))
        cache = engine.parts().draft_cache
        assert cache is not None, "traces are of pairs with a draft model"
        drafting = measure(cache.decoder, None, probe_tokens(engine.model, MOST_ROWS + 1))
        measured = engine.curves.measured()
        returning_s = min(returning_s, measured.returning_s)
        for least, found in ((target_s, measured), (draft_s, drafting)):
            least.update({n: min(s, least.get(n, s)) for n, s in found.target_s.items()})
        engine.free()
    return Measurement(target_s, draft_s, settles=measured.settles, returning_s=returning_s)


def record(
    target: str, draft: str, predict: int, tasks: str = "demo", items: int | None = None
) -> Iterator[Trace]:
    """Yield a trace for every temperature and item, or the first `items`, of a task set; and, since
    a chat has one temperature, of all of them at WARM.
    """
    engine = Engine(PairSettings(target=target, draft=draft, threads=THREADS))
    try:
        for task in builtin(tasks).tasks:
            for temperature in sorted({*task.temperatures, WARM}):
                for item in task.items[:items]:
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
        drafter.observe(Step(NO_DRAFT, NO_DRAFT, (token,), 0, 0, (), 0.0, 0.0))
        context.append(token)
    return Trace(task, sampling.temperature, tuple(prompt), tuple(said), tuple(model), predict)


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
    most = sum(trace.predict for trace in traces)
    return replace(traces[0], tokens=tokens, model=model, predict=most)


def segments(traces: Sequence[Trace]) -> list[Trace]:
    """Return the parts of what `joined` gives, each behind all that was said before it."""
    prompt, parts = traces[0].prompt, []
    for trace in traces:
        parts.append(replace(trace, prompt=prompt))
        prompt += trace.tokens
    return parts
