"""A turn of a conversation: a question, what goes with it, and what was received of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.chat.sent import TORN
from app.files.attachments import Attachment, for_model, pictures_of
from engine import (
    Delta,
    Finished,
    FinishReason,
    Picture,
    SamplingSettings,
    Span,
    Stats,
    TracedStep,
)

TurnReason: TypeAlias = FinishReason | Literal["failed", "too long", "edited", "given"]
"""Why an answer ended; "failed": the engine refused it, or died; "too long": there is none, for the
question and what came before do not fit into the context; "edited": a person wrote it; "given": a
prompt did, as an example.
"""

CUT_SHORT = frozenset({"cancelled", "failed", "too long", "edited", "given"})


@dataclass(slots=True)
class Turn:
    """A question and what was received of its answer.

    attempt: how often a whole answer was replaced by asking again; each has a seed of its own.
    reason: None while the answer is running. error: what the engine said when it failed.
    question_id, answer_id: their places among the branches, None while nobody keeps them.
    steps: the answer step by step, where the engine tells.
    left_out: how many turns, the oldest ones of its branch, its prompt did without, beside those
    that a summary covers. summary: of its branch up to itself, "" if there is none. skipped: the
    person has left it out of what is sent. sampling: how the answer was drawn, where that is known.
    pair: the title of the one that answered, "" where nobody knows.
    """

    question: str
    attempt: int = 0
    answer: str = ""
    reason: TurnReason | None = None
    stats: Stats | None = None
    spans: list[Span] = field(default_factory=list)
    context_used: int = 0
    seed: int | None = None
    error: str = ""
    attachments: tuple[Attachment, ...] = ()
    question_id: int | None = None
    answer_id: int | None = None
    steps: list[TracedStep] = field(default_factory=list)
    left_out: int = 0
    summary: str = ""
    skipped: bool = False
    sampling: SamplingSettings | None = None
    pair: str = ""

    @property
    def sent(self) -> str:
        """The question as the engine gets it, with what is attached."""
        return for_model(self.question, self.attachments) if self.attachments else self.question

    @property
    def in_words(self) -> str:
        """The question as who is shown no pictures gets it."""
        return for_model(self.question, self.attachments, sees=False)

    @property
    def pictures(self) -> list[Picture]:
        """The pictures that go with the question, but for those that are gone."""
        return pictures_of(self.attachments)

    def grow(self, delta: Delta) -> None:
        """Take in more of the answer."""
        self.spans.extend(delta.spans)
        self.steps.extend(delta.steps)
        self.answer += "".join(span.text for span in delta.spans)
        self.stats = delta.stats
        self.context_used = delta.context_used

    def drop_torn(self) -> None:
        """Drop the half of a character that an answer was cut in; the engine writes it anew."""
        if self.answer.endswith(TORN) and self.spans:
            last = self.spans[-1]
            kept = last.text.rstrip(TORN)
            self.spans[-1:] = [Span(kept, last.origin)] if kept else []
            self.answer = self.answer.rstrip(TORN)

    def finish(self, finished: Finished, before: str = "") -> None:
        """Take in the end of the answer. before: what it went on from."""
        self.answer = before + finished.text
        self.reason = finished.reason
        self.stats = finished.stats
        self.context_used = finished.context_used
        self.seed = finished.seed


def named(error: str, turns: Sequence[Turn]) -> str:
    """Return what the engine says of pictures, by the names that these have in the chat."""
    for each in (each for turn in turns for each in turn.attachments):
        if each.picture is not None:
            error = error.replace(each.picture.path, each.name)
    return error
