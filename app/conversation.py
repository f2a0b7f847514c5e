"""One conversation: questions in, streamed answers out, and what the next prompt holds.

It owns the turns. Whatever was received of an answer is kept, also when the person stops it or the
engine dies under it. It knows no screen and no database, and of the engine only `Engine`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import msgspec

from engine import (
    Delta,
    EngineError,
    Finished,
    FinishReason,
    Loading,
    Message,
    PairSettings,
    Ready,
    SamplingSettings,
    Span,
    Started,
    Stats,
)

TurnReason: TypeAlias = FinishReason | Literal["failed"]
"""Why an answer ended; "failed": the engine refused it, or died."""

CUT_SHORT = frozenset({"cancelled", "failed"})


class Engine(Protocol):
    """What a conversation needs of the engine; `engine.EngineClient` is one."""

    def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        """Load a pair; ends with Ready. Raises EngineError."""

    def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Answer; ends with Finished, also when cancelled. Raises EngineError."""

    async def cancel(self) -> None:
        """Stop the running answer, if there is one."""

    async def close(self) -> None:
        """End the engine."""


@dataclass(slots=True)
class Turn:
    """A question and what was received of its answer.

    attempt: how often a whole answer was replaced by asking again; each has a seed of its own.
    reason: None while the answer is running. error: what the engine said when it failed.
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

    def grow(self, delta: Delta) -> None:
        """Take in more of the answer."""
        self.spans.extend(delta.spans)
        self.answer += "".join(span.text for span in delta.spans)
        self.stats = delta.stats
        self.context_used = delta.context_used

    def finish(self, finished: Finished) -> None:
        """Take in the end of the answer, whose text is the whole of it."""
        self.answer = finished.text
        self.reason = finished.reason
        self.stats = finished.stats
        self.context_used = finished.context_used
        self.seed = finished.seed


class Conversation:
    """The turns so far, and how the next question is asked."""

    def __init__(
        self,
        engine: Engine,
        system: str | None = None,
        sampling: SamplingSettings | None = None,
        predict: int | None = None,
    ) -> None:
        self.turns: list[Turn] = []
        self._engine = engine
        self._system = system
        self._sampling = sampling or SamplingSettings()
        self._predict = predict

    def messages(self) -> list[Message]:
        """Return the history for the next prompt: every turn that has any answer text."""
        history = [Message(role="system", content=self._system)] if self._system else []
        for turn in self.turns:
            if turn.answer.strip():
                history.append(Message(role="user", content=turn.question))
                history.append(Message(role="assistant", content=turn.answer))
        return history

    def ask(self, question: str) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Ask a new question. Raises EngineError; what was received stays in the last turn."""
        return self._answer(Turn(question))

    def retry(self) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Ask the last question again in its turn's place: a whole answer gets another seed,
        one that was cut short keeps its own. Raises EngineError, and IndexError without turns.
        """
        last = self.turns.pop()
        return self._answer(Turn(last.question, last.attempt + (last.reason not in CUT_SHORT)))

    def clear(self) -> None:
        """Forget every turn; an answer that still runs goes on outside the conversation."""
        self.turns = []

    async def _answer(self, turn: Turn) -> AsyncGenerator[Started | Delta | Finished, None]:
        prompt = [*self.messages(), Message(role="user", content=turn.question)]
        self.turns.append(turn)
        seed = (self._sampling.seed + turn.attempt) % 2**64
        sampling = msgspec.structs.replace(self._sampling, seed=seed)
        try:
            async with aclosing(self._engine.ask(prompt, sampling, self._predict)) as events:
                async for event in events:
                    if isinstance(event, Delta):
                        turn.grow(event)
                    elif isinstance(event, Finished):
                        turn.finish(event)
                    yield event
        except EngineError as error:
            turn.reason, turn.error = "failed", str(error)
            raise
        finally:
            turn.reason = turn.reason or "cancelled"
