"""One conversation: questions in, streamed answers out, and what the next prompt holds.

It owns the turns. Whatever was received of an answer is kept, also when the person stops it or the
engine dies under it. It knows no screen and no database, and of the engine only `Engine`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Protocol

import msgspec

from app.chat.sent import before_question, covered, knowing, prompt_of
from app.chat.turn import CUT_SHORT, Turn, TurnReason, named
from app.chat.whole_stats import whole_stats
from app.files.attachments import Attachment
from engine import (
    Delta,
    EngineError,
    Finished,
    Loading,
    Message,
    PairSettings,
    PromptTooLong,
    Ready,
    SamplingSettings,
    Span,
    Started,
)

__all__ = ["CUT_SHORT", "Conversation", "Engine", "Recorder", "Turn", "TurnReason"]


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
        drafter: str | None = None,
        trace: bool = False,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Answer; ends with Finished, also when cancelled. Raises EngineError."""

    async def cancel(self) -> None:
        """Stop the running answer, if there is one."""

    async def close(self) -> None:
        """End the engine."""


class Recorder(Protocol):
    """Keeps what is said, as it is said (app/chat/recorder.py)."""

    def began(self, turn: Turn, before: Turn | None) -> None:
        """A turn's answer begins, behind another turn, or as the first."""

    def grew(self, turn: Turn, spans: Sequence[Span]) -> None:
        """The answer has more text."""

    def ended(self, turn: Turn) -> None:
        """The answer is over."""

    def summarised(self, turn: Turn) -> None:
        """The turns up to this one have another summary, or none."""


class Conversation:
    """The turns that are shown, and how the next question is asked.

    current: the turn that is being answered, or was last, shown or not. system, sampling, predict,
    drafter, think: how the next answer is asked for; predict None: as long as it may be; drafter
    None: the pair's own; think None: as the chat template has it. about: what it knows of the user.
    sees: whether the pair takes pictures; where it does not, it is told of those of earlier turns.
    """

    def __init__(
        self,
        engine: Engine,
        system: str | None = None,
        sampling: SamplingSettings | None = None,
        predict: int | None = None,
        recorder: Recorder | None = None,
        think: bool | None = None,
    ) -> None:
        self.turns: list[Turn] = []
        self.current: Turn | None = None
        self.system = system
        self.about = ""
        self.sampling = sampling or SamplingSettings()
        self.drafter: str | None = None
        self.predict = predict
        self.think = think
        self._engine = engine
        self._recorder = recorder
        self.sees = True
        self._is_abandoned = False

    @property
    def left_out(self) -> int:
        """How many of the oldest turns are not sent: as for the last answer, or in a summary."""
        return max(self.turns[-1].left_out, covered(self.turns)) if self.turns else 0

    def messages(self) -> list[Message]:
        """Return the history for the next prompt."""
        told = knowing(self.about, self.system)
        return before_question(told, self.turns, self.left_out, sees=self.sees)

    def prompt(self, left_out: int, summary: str | None = None) -> list[Message]:
        """Return what the last turn, asked again or gone on with, would be asked with if so many
        of the oldest turns were left out. summary: of these, None: what there is. Raises
        IndexError without a turn.
        """
        told = knowing(self.about, self.system)
        return prompt_of(told, self.turns[:-1], self.turns[-1], left_out, summary, self.sees)

    def summarise(self, turn: Turn, summary: str) -> None:
        """Send a summary in the place of all turns up to this one; "": those themselves."""
        turn.summary = summary
        if self._recorder is not None:
            self._recorder.summarised(turn)

    def aside(
        self, messages: Sequence[Message], predict: int
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Ask what is no turn, for the likeliest words, unthought of. Raises as `ask`."""
        asked = self.sampling.at(0.0)
        return self._engine.ask(messages, asked, predict, drafter=self.drafter, think=False)

    def ask(
        self, question: str, attachments: Sequence[Attachment] = (), at: int | None = None
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Ask a question, at the end or in the place of turn `at`, whose branch then stays aside.

        Raises EngineError; what was received stays in the last turn.
        """
        self.turns = self.turns[:at]
        left_out = self.turns[-1].left_out if self.turns else 0
        turn = Turn(question, attachments=tuple(attachments), left_out=left_out)
        return self._answer(turn)

    def retry(
        self, at: int = -1, left_out: int | None = None
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Ask a question again in its turn's place: a whole answer gets another seed, one that was
        cut short keeps its own. left_out: so many turns are left out from now on, None: as before.
        Raises EngineError, and IndexError without such a turn.
        """
        place = range(len(self.turns))[at]
        old, *behind = self.turns[place:]
        self.turns = self.turns[:place]
        attempt = old.attempt + (old.reason not in CUT_SHORT)
        turn = Turn(old.question, attempt, attachments=old.attachments, question_id=old.question_id)
        turn.left_out = old.left_out if left_out is None else left_out
        if not old.answer and not behind:  # of no answer, nothing is worth a version
            turn.answer_id = old.answer_id
            if old.summary:
                self.summarise(old, "")
        return self._answer(turn)

    def go_on(
        self, left_out: int | None = None
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Go on with the last answer where it ends. left_out: as in `retry`. Raises as `ask`, and
        IndexError.
        """
        turn = self.turns.pop()
        if turn.summary:  # which will not tell of what is to come
            self.summarise(turn, "")
        turn.left_out = turn.left_out if left_out is None else left_out
        turn.drop_torn()
        return self._answer(turn)

    def abandon(self) -> None:
        """The engine is ended because the person wished so: what runs is cancelled, not failed."""
        self._is_abandoned = True

    async def _answer(self, turn: Turn) -> AsyncGenerator[Started | Delta | Finished, None]:
        told = knowing(self.about, self.system)
        left_out = max(turn.left_out, covered(self.turns))
        prompt = prompt_of(told, self.turns, turn, left_out, sees=self.sees)
        begun, measured = turn.answer, turn.stats if turn.answer else None
        self._begin(turn)
        seed = (self.sampling.seed + turn.attempt) % 2**64
        sampling = msgspec.structs.replace(self.sampling, seed=seed)
        turn.sampling = sampling
        asked = self._engine.ask(
            prompt, sampling, self.predict, drafter=self.drafter, trace=True, think=self.think
        )
        try:
            async with aclosing(asked) as events:
                async for event in events:
                    if isinstance(event, Delta | Finished):
                        stats = whole_stats(measured, event.stats)
                        event = msgspec.structs.replace(event, stats=stats)
                    if isinstance(event, Delta):
                        turn.grow(event)
                        if self._recorder is not None:
                            self._recorder.grew(turn, event.spans)
                    elif isinstance(event, Finished):
                        turn.finish(event, begun)
                    yield event
        except PromptTooLong as error:
            if begun:
                turn.reason = "context"
            else:
                turn.reason, turn.error = "too long", str(error)
            raise
        except EngineError as error:
            if not self._is_abandoned:
                turn.reason, turn.error = "failed", named(str(error), self.turns)
            raise
        except Exception as error:
            turn.reason, turn.error = "failed", f"{type(error).__name__}: {error}"
            raise
        finally:
            turn.reason = turn.reason or "cancelled"
            if self._recorder is not None:
                self._recorder.ended(turn)

    def _begin(self, turn: Turn) -> None:
        before = self.turns[-1] if self.turns else None
        turn.reason, turn.error = None, ""
        self._is_abandoned = False
        self.current = turn
        self.turns.append(turn)
        if self._recorder is not None:
            self._recorder.began(turn, before)
