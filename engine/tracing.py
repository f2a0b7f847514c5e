"""What a step looked like from inside: what was drafted, what became of it, what it cost."""

from __future__ import annotations

from collections.abc import Callable

from engine.costs import CostCurves
from engine.messages import Span, TracedStep
from engine.stats import plain_s
from engine.types import BONUS, CORRECTED, PLAIN, Step

DIGITS = 3


class Tracer:
    """Collects steps between two events. piece: the bytes of a token."""

    def __init__(self, piece: Callable[[int], bytes], curves: CostCurves) -> None:
        self._piece, self._curves = piece, curves
        self._steps: list[TracedStep] = []

    def add(self, step: Step, depth: int) -> None:
        """Take a step in; depth: cells in use behind it."""
        draft = step.draft
        drafted = [
            Span(self._text(token), origin)
            for token, origin in zip(draft.tokens, draft.origins, strict=True)
        ]
        self._steps.append(
            TracedStep(
                drafted,
                [round(confidence, DIGITS) for confidence in draft.confidences],
                step.accepted,
                self._said(step),
                step.step_s,
                plain_s(step, step.step_s, self._curves, depth),
            )
        )

    def take(self) -> list[TracedStep]:
        """Return the steps since the last call."""
        taken, self._steps = self._steps, []
        return taken

    def _said(self, step: Step) -> Span:
        """Return the target's own token; empty where a stop cut it off."""
        if step.accepted >= len(step.tokens):
            return Span("", PLAIN)
        origin = PLAIN
        if step.draft.tokens:
            origin = BONUS if step.accepted == len(step.draft.tokens) else CORRECTED
        return Span(self._text(step.tokens[step.accepted]), origin)

    def _text(self, token: int) -> str:
        return self._piece(token).decode("utf-8", "replace")
