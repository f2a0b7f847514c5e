"""What a step looked like from inside: what was drafted, what became of it, what it cost.

The texts of what was committed make up the answer: a character that was split across tokens goes
with its last one, as in stream.py. What was rejected is text by itself, U+FFFD where it is none.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from engine.costs.curves import CostCurves
from engine.messages import Span, TracedStep
from engine.stats import plain_s
from engine.types import BONUS, CORRECTED, PLAIN, Step

DIGITS = 3


class Tracer:
    """Collects steps between two events. piece: the bytes of a token."""

    def __init__(self, piece: Callable[[int], bytes], curves: CostCurves) -> None:
        self._piece, self._curves = piece, curves
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._steps: list[TracedStep] = []

    def add(self, step: Step, depth: int) -> None:
        """Take a step in; depth: cells in use behind it."""
        draft, committed = step.draft, self._committed(step)
        texts = [*committed[: step.accepted], *map(self._alone, draft.tokens[step.accepted :])]
        drafted = [Span(text, origin) for text, origin in zip(texts, draft.origins, strict=True)]
        self._steps.append(
            TracedStep(
                drafted,
                [round(confidence, DIGITS) for confidence in draft.confidences],
                step.accepted,
                _said(step, committed),
                step.step_s,
                plain_s(step, step.step_s, self._curves, depth),
                list(step.near_ties),
            )
        )

    def take(self) -> list[TracedStep]:
        """Return the steps since the last call."""
        taken, self._steps = self._steps, []
        return taken

    def _committed(self, step: Step) -> list[str]:
        """Return the text that each token brought; where the answer ends, the last one the rest."""
        texts = [self._decoder.decode(self._piece(token)) for token in step.tokens]
        if step.finish is not None:
            texts[-1] += self._decoder.decode(b"", final=True)
        return texts

    def _alone(self, token: int) -> str:
        return self._piece(token).decode("utf-8", "replace")


def _said(step: Step, committed: Sequence[str]) -> Span:
    """Return the target's own token; empty where a stop cut it off."""
    if step.accepted >= len(step.tokens):
        return Span("", PLAIN)
    origin = PLAIN
    if step.draft.tokens:
        origin = BONUS if step.accepted == len(step.draft.tokens) else CORRECTED
    return Span(committed[step.accepted], origin)
