"""A conversation that is recorded, for the tests of what is kept of it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from app.chat.branches import Part
from app.chat.conversation import Conversation, Turn
from app.chat.recorder import HistoryRecorder
from app.history import Chat, History
from app.tui.serving.orders import Answering
from engine import EngineError, SamplingSettings
from tests.app.tui.fakes import Answer, FakeEngine


class Recorded:
    """A conversation that is recorded, on scripted answers."""

    def __init__(self, history: History, *answers: Answer) -> None:
        self.history = history
        self.engine = FakeEngine(*answers)
        self.engine.alive = True
        self.begin()

    def begin(self) -> None:
        """Begin another chat, as a tab does."""
        self.recorder = HistoryRecorder(self.history, lambda: "demo")
        sampling = SamplingSettings(seed=5)
        self.talk = Conversation(self.engine, sampling=sampling, recorder=self.recorder)

    @property
    def turns(self) -> list[Turn]:
        return self.talk.turns

    def ask(self, question: str, at: int | None = None) -> Turn:
        return self.done(self.talk.ask(question, at=at))

    def retry(self, at: int = -1, left_out: int | None = None) -> Turn:
        return self.done(self.talk.retry(at, left_out))

    def undo(self) -> None:
        self.talk.turns = self.turns[:-1]
        self.recorder.shown_upto(self.turns[-1] if self.turns else None)

    def go_on(self) -> Turn:
        return self.done(self.talk.go_on())

    def walk(self, at: int, part: Part, steps: int) -> None:
        turns = self.recorder.beside(self.turns[at], part, steps)
        assert turns is not None
        self.talk.turns = turns

    def reopen(self) -> None:
        """Go on as an app that has just been started would."""
        chat = self.recorder.chat
        assert chat is not None
        self.begin()
        self.talk.turns = opened(self.recorder, chat)

    def kept(self) -> Chat:
        assert self.recorder.chat is not None and self.history.flush()
        return self.history.chat(self.recorder.chat)

    def shown(self) -> list[tuple[str, str]]:
        return [(turn.question, turn.answer) for turn in self.turns]

    def done(self, events: Answering) -> Turn:
        """Have it answered, also where that fails, and return the turn."""

        async def run() -> None:
            with suppress(EngineError):
                async for _ in events:
                    pass

        asyncio.run(run())
        return self.turns[-1]


def opened(recorder: HistoryRecorder, chat: int) -> list[Turn]:
    """Go on with a chat that was kept; return its turns."""
    return recorder.take(recorder.read(chat))


def tree(chat: Chat) -> list[tuple[str, str | None]]:
    """Return each message with the one it follows."""
    by_id = {message.id: message.content for message in chat.messages}
    return [(m.content, None if m.parent is None else by_id[m.parent]) for m in chat.messages]
