"""A traced answer, step by step: what was drafted, what became of it, what it cost.

Pure; token texts come out of here harmless and on one line, white space made visible. The first
step is left out of what was saved, as in the engine's own figures: it also reads what was left of
the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from app.terminal.sanitise import REPLACEMENT, sanitise
from engine import BONUS, CORRECTED, PLAIN, Span, TracedStep

Fate = Literal["accepted", "rejected", "not tested", "not needed", "corrected", "bonus", "plain"]
"""What became of a token: the first four of the draft's, the last three of the target's own."""

PART = "(part)"
"""What is shown of a token that has the beginning of a character, which goes with its last one."""
_GLYPHS = {" ": "␠", "\n": "⏎", "\t": "⇥"}
_TOKEN = str.maketrans({**_GLYPHS, "\xa0": "␠"})
_TEXT = str.maketrans({"\n": "⏎\n", "\t": "⇥"})
_BLANK = str.maketrans({"\n": "⏎\n", "\t": "⇥", " ": "␠"})


@dataclass(frozen=True, slots=True)
class Row:
    """A token and what became of it.

    confidence: its drafter's, None for the target's own. near_tie: whether rounding alone may have
    decided for it.
    """

    token: str
    origin: str
    confidence: float | None
    fate: Fate
    near_tie: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """A whole answer. saved_s, plain_s: without the first step."""

    steps: int
    drafted: int
    accepted: int
    saved_s: float
    plain_s: float


class Xray:
    """The steps of an answer; an index says which."""

    def __init__(self, steps: Sequence[TracedStep]) -> None:
        self.steps = list(steps)
        self.tokens = [step.accepted + (not _is_cut(step)) for step in self.steps]
        """How many tokens of the answer each step made, those without text included."""
        self.rejected = [step.said.origin == CORRECTED for step in self.steps]
        """Whether each step's draft was disagreed with."""
        timed = [step for step in self.steps[1:] if step.plain_s > 0]
        self.totals = Totals(
            len(self.steps),
            sum(len(step.drafted) for step in self.steps),
            sum(step.accepted for step in self.steps),
            sum(step.plain_s - step.step_s for step in timed),
            sum(step.plain_s for step in timed),
        )

    def said(self, index: int) -> list[Span]:
        """Return what a step added to the answer."""
        step = self.steps[index]
        own = [step.said] if step.said.text else []
        return [*step.drafted[: step.accepted], *own]

    def rows(self, index: int) -> list[Row]:
        """Return a step's tokens."""
        later = (span.text for i in range(index + 1, len(self.steps)) for span in self.said(i))
        return rows(self.steps[index], next(filter(None, later), ""))

    def before(self, index: int, length: int) -> str:
        """Return the end of the answer before a step, `length` characters or somewhat more."""
        pieces: list[str] = []
        found = 0
        while index > 0 and found < length:
            index -= 1
            piece = sanitise("".join(span.text for span in self.said(index)))
            pieces.append(piece)
            found += len(piece)
        return "".join(reversed(pieces))

    def next_rejection(self, index: int) -> int | None:
        """Return the next step after this one whose draft was disagreed with."""
        later = range(index + 1, len(self.steps))
        return next((step for step in later if self.rejected[step]), None)

    def gain_s(self, index: int) -> float | None:
        """Return what a step saved, negative where it lost; None where that is unknown."""
        step = self.steps[index]
        return None if index == 0 or step.plain_s <= 0 else step.plain_s - step.step_s


def rows(step: TracedStep, after: str = "") -> list[Row]:
    """Return a step's tokens: the draft's, the target's own next to the one that it replaced.

    after: what the answer goes on with behind the step.
    """
    own_text = [] if _is_cut(step) else [step.said.text]
    shown = _shown([*(span.text for span in step.drafted[: step.accepted]), *own_text], after)
    unkept = [token_text(span.text) for span in step.drafted[step.accepted :]]
    texts = [*shown[: step.accepted], *unkept]
    found = [
        Row(
            text,
            span.origin,
            step.confidences[place] if place < len(step.confidences) else None,
            _fate(step, place),
            place < step.accepted and place in step.near_ties,
        )
        for place, (span, text) in enumerate(zip(step.drafted, texts, strict=True))
    ]
    if own_text:
        fates: dict[str, Fate] = {CORRECTED: "corrected", BONUS: "bonus"}
        fate = fates.get(step.said.origin, "plain")
        own = Row(shown[-1], step.said.origin, None, fate, step.accepted in step.near_ties)
        found.insert(step.accepted + (own.fate == "corrected"), own)
    return found


def _shown(texts: Sequence[str], after: str) -> list[str]:
    """Return the answer's tokens as lines; one without text, before a character that takes several
    bytes, has a part of that.
    """
    shown: list[str] = []
    for text in reversed(texts):
        is_part = not text and not after[:1].isascii()
        shown.append(PART if is_part else token_text(text))
        after = text or after
    return shown[::-1]


def _is_cut(step: TracedStep) -> bool:
    """Whether the answer ended inside the draft, before the target's own token."""
    return bool(step.drafted) and step.said.origin == PLAIN


def _fate(step: TracedStep, place: int) -> Fate:
    if place < step.accepted:
        return "accepted"
    if _is_cut(step):
        return "not needed"
    return "rejected" if place == step.accepted else "not tested"


def token_text(text: str) -> str:
    """Return a token as one harmless line, with something to see in it if it has any text."""
    shown = sanitise(text).translate(_TOKEN)
    return shown if cell_len(shown) or not text else REPLACEMENT


def running_text(text: str) -> str:
    """Return a token as it stands in the answer; line breaks, and blanks alone, are visible."""
    clean = sanitise(text)
    return clean.translate(_TEXT if clean.strip() else _BLANK)
