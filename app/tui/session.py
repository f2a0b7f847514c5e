"""Serves one chat: loads the pair, answers questions in order, and outlives its engine.

An engine that dies is started again once; if it dies again before it has finished an answer, it
stays down until the next question. It knows no widget: what happens, it posts (messages.py).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from textual.message import Message

from app.conversation import Conversation, Engine, Turn
from app.tui.messages import (
    AnswerBegan,
    AnswerEnded,
    AnswerGrew,
    EngineDown,
    EngineLoading,
    EngineReady,
    QuestionDropped,
)
from engine import (
    Delta,
    EngineDied,
    EngineError,
    Loading,
    PairSettings,
    Ready,
    SamplingSettings,
    Started,
)

State = Literal["loading", "ready", "answering", "stopping", "down"]

RESTARTS = 1


class SessionSettings(Protocol):
    """What a chat needs to know; `app.config.ChatSettings` is one."""

    @property
    def pair(self) -> PairSettings: ...
    @property
    def sampling(self) -> SamplingSettings: ...
    @property
    def predict(self) -> int | None: ...
    @property
    def system(self) -> str | None: ...
    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Job:
    """A question that waits. question: None asks the last one again."""

    key: int
    question: str | None


class Session:
    """One chat and the engine behind it."""

    def __init__(
        self, engine: Engine, settings: SessionSettings, post: Callable[[Message], object]
    ) -> None:
        self.conversation = Conversation(
            engine, settings.system, settings.sampling, settings.predict
        )
        self.state: State = "loading"
        self._engine = engine
        self._pair = settings.pair
        self._post = post
        self._jobs: deque[_Job] = deque()
        self._work = asyncio.Event()
        self._restarts_left = RESTARTS
        self._was_ready = False
        self._abandoned = False

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return len(self._jobs)

    @property
    def answering(self) -> bool:
        """Whether an answer is running, or being stopped."""
        return self.state in ("answering", "stopping")

    async def serve(self) -> None:
        """Load the pair and answer questions until cancelled."""
        await self._load()
        while True:
            await self._work.wait()
            self._work.clear()
            if self.state == "down":
                await self._load()
            while self._jobs:
                await self._answer(self._jobs.popleft())

    def submit(self, key: int, question: str) -> None:
        """Ask a question when its turn comes."""
        self._add(_Job(key, question))

    def retry(self, key: int) -> None:
        """Ask the last question again when its turn comes."""
        self._add(_Job(key, None))

    def start(self) -> None:
        """Start the engine, if it is down."""
        self._work.set()

    def take_back(self) -> int | None:
        """Withdraw the question that was asked last, if it still waits, and return its key."""
        return self._jobs.pop().key if self._jobs else None

    async def stop(self) -> None:
        """Stop the running answer. A second call, while the engine still has not obeyed, ends it
        and starts another.
        """
        if self.state == "answering":
            self.state = "stopping"
            await self._engine.cancel()
        elif self.state == "stopping" and not self._abandoned:
            self._abandoned = True
            await self._engine.close()

    async def clear(self) -> None:
        """Begin a new chat."""
        self._jobs.clear()
        self.conversation.clear()
        if self.state == "answering":
            await self.stop()

    def _add(self, job: _Job) -> None:
        self._jobs.append(job)
        self._work.set()

    async def _load(self) -> bool:
        """Load the pair and say whether that went well."""
        self.state = "loading"
        self._post(EngineLoading(None))
        try:
            async for event in self._engine.load(self._pair):
                match event:
                    case Loading():
                        self._post(EngineLoading(event))
                    case Ready():
                        self._ready(event)
        except Exception as error:  # whatever it is, the chat stays open and shows it
            self._down(error)
            return False
        return True

    def _ready(self, ready: Ready) -> None:
        self.state = "ready"
        self._post(EngineReady(ready, again=self._was_ready))
        self._was_ready = True

    def _down(self, error: Exception) -> None:
        self.state = "down"
        while self._jobs:
            self._post(QuestionDropped(self._jobs.popleft().key))
        known = isinstance(error, EngineError | OSError)
        self._post(EngineDown(str(error) if known else f"{type(error).__name__}: {error}"))

    async def _answer(self, job: _Job) -> None:
        """Answer one question, and mend the engine if it dies meanwhile."""
        if job.question is None and not self.conversation.turns:
            self._post(QuestionDropped(job.key))
            return
        self.state = "answering"
        self._abandoned = False
        self._post(AnswerBegan(job.key))
        turns = self.conversation.turns
        death: Exception | None = None
        try:
            await self._stream(job)
            self._restarts_left = RESTARTS
        except EngineDied as error:
            death = error
        except EngineError:
            pass  # the turn holds what was said
        except Exception as error:
            death = error
        turn = turns[-1]
        self._mark(turn, death)
        self.state = "ready"
        self._post(AnswerEnded(job.key, turn))
        if death is not None:
            await self._mend(death, None if turn.answer else job)

    def _mark(self, turn: Turn, death: Exception | None) -> None:
        """Correct the turn's reason where the engine's end was the person's wish, or a defect."""
        if self._abandoned:
            turn.reason, turn.error = "cancelled", ""
        elif death is not None and not turn.error:
            turn.reason, turn.error = "failed", f"{type(death).__name__}: {death}"

    async def _stream(self, job: _Job) -> None:
        conversation = self.conversation
        events = conversation.retry() if job.question is None else conversation.ask(job.question)
        async for event in events:
            if (
                self.state == "stopping"
            ):  # the wish may have come before the engine had the question
                await self._engine.cancel()
            match event:
                case Started():
                    self._post(AnswerBegan(job.key, event))
                case Delta():
                    self._post(AnswerGrew(job.key, event))

    async def _mend(self, death: Exception, unanswered: _Job | None) -> None:
        """Start a dead engine again, or leave it down if that has just been tried.

        A question that got no word of an answer is asked again: the engine may have died before.
        """
        if self._abandoned:
            await self._load()
        elif self._restarts_left > 0:
            self._restarts_left -= 1
            if await self._load() and unanswered is not None:
                self._jobs.appendleft(_Job(unanswered.key, None))
        else:
            self._down(death)
