"""Answers for the proof: the real loop on the loaded models, with any drafter and verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.arrays import Logits, Row
from engine.assemble import Engine
from engine.drafters.none import Plain
from engine.errors import DecodeError
from engine.messages import Message
from engine.policy.experience import Experience
from engine.policy.fixed_length import FixedLength
from engine.policy.measured import Measured
from engine.settings import SamplingSettings
from engine.speculate import speculate
from engine.stream import AnswerReader
from engine.types import Draft, Drafter, Pick, Policy, Step, Verdict, Verifier
from engine.verifiers.coupled import Coupled

QUESTIONS = (
    "Explain how generators and iterators differ, with an example.",
    "Describe your favourite colour.",
    "Tell me a story about a farmer and his pigs.",
)
"""Open ones: where a model knows its answer by heart, all ways of drafting are alike."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. near_ties: positions in `tokens`; accepted, tested: draft tokens."""

    tokens: tuple[int, ...]
    near_ties: tuple[int, ...]
    accepted: int
    tested: int


class Questioner:
    """Asks the engine's models, answer by answer. Prompts are tokenized once."""

    def __init__(self, engine: Engine, predict: int) -> None:
        self.engine = engine
        self.predict = predict
        self._experience = Experience()
        self.prompts = [
            engine.template.tokens([Message(role="user", content=text)]) for text in QUESTIONS
        ]

    def _policy(self) -> Policy:
        return Measured(self._experience, self.engine.curves)

    def coupled(self, sampling: SamplingSettings) -> Coupled:
        """Return the verifier that answers are made with."""
        return Coupled(self.engine.sampler(sampling), self.engine.sharpness)

    def say(
        self,
        prompt: int,
        verifier: Verifier,
        drafter: Drafter | None = None,
        length: int | None = None,
    ) -> Said:
        """Answer prompt number `prompt`; length: fixed draft length, None: the engine's policy."""
        engine, drafter = self.engine, drafter or Plain()
        tokens = self.prompts[prompt]
        reader = AnswerReader(
            engine.model.piece,
            engine.model.is_end,
            engine.session.n_ctx - len(tokens),
            self.predict,
            engine.template.stop,
        )
        engine.session.begin(tokens)
        engine.session.prefill(lambda: False)
        drafter.begin(engine.session.tokens, verifier)
        policy = self._policy() if length is None else FixedLength(length)
        steps = list(speculate(engine.session, drafter, verifier, policy, reader))
        if drafter.failure:
            raise DecodeError(drafter.failure)
        return _said(reader.tokens, steps)


class Recorder:
    """A verifier that keeps the rows that tokens were drawn from, by position in the text."""

    name = "recorder"

    def __init__(self, verifier: Verifier) -> None:
        self.cuts, self.keyed = verifier.cuts, verifier.keyed
        self.rows: dict[int, Row] = {}
        self._verifier = verifier

    def forget(self, after: int) -> None:
        """Drop the rows behind this position: the text that they belong to is another."""
        self.rows = {position: row for position, row in self.rows.items() if position <= after}

    def window(self, context: Sequence[int]) -> list[int]:
        """What the verifier says."""
        return self._verifier.window(context)

    def pick(self, row: Row, history: Sequence[int], position: int) -> Pick:
        """What the verifier says."""
        return self._verifier.pick(row, history, position)

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """What the verifier says, and keep the rows of what it emits."""
        verdict = self._verifier.verify(context, draft, logits)
        for i in range(len(verdict.tokens)):
            self.rows[len(context) + i] = logits[i].copy()
        return verdict


def _said(tokens: Sequence[int], steps: Sequence[Step]) -> Said:
    near_ties: list[int] = []
    n = 0
    for step in steps:
        near_ties += (n + i for i in step.near_ties)
        n += len(step.tokens)
    return Said(
        tuple(tokens),
        tuple(near_ties),
        sum(step.accepted for step in steps),
        sum(step.tested for step in steps),
    )
