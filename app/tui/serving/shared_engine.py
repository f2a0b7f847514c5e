"""One engine for many chats: which of them is served now, which wait, and which one is shown.

What is said here of an answer or a question is said of the chat that is shown, unless another is
named: nobody takes another chat's answer for this one's. It asks the engine nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec.structs import replace

from app.chat.conversation import Conversation
from app.tui.serving.orders import Condense, Job, SessionSettings
from engine import PairSettings

State: TypeAlias = Literal["loading", "ready", "answering", "stopping", "down", "unloaded"]
Shown: TypeAlias = State | Literal["elsewhere", "summarising"]

RESTING = ("down", "unloaded")
BUSY = ("answering", "stopping")
LOADED = ("ready", *BUSY)


def nobody(_: Conversation) -> bool:
    """Put nobody off."""
    return False


class SharedEngine:
    """state: the engine's. conversation: that of the chat that is shown; running: the one that is
    being answered, or was last. jobs: what waits, of all chats. work: set where there may be
    something to do. loaded: what the engine was told to load last; sound: what it loaded last.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.state: State = "loading"
        self.conversation = self.running = conversation
        self.jobs: deque[Job | Condense] = deque()
        self.work = asyncio.Event()
        self.loaded: PairSettings | None = None
        self.sound: PairSettings | None = None
        self._former: SessionSettings | None = None
        self._is_put_off: Callable[[Conversation], bool] = nobody
        self._sees = False
        self._job: Job | Condense | None = None
        self._unanswered: Job | None = None

    @property
    def sees(self) -> bool:
        """Whether the pair that is loaded, or was last, takes pictures."""
        return self._sees

    @sees.setter
    def sees(self, sees: bool) -> None:
        self._sees = self.conversation.sees = sees

    @property
    def can_go_back(self) -> bool:
        """Whether a pair is being loaded in place of another."""
        return self._former is not None

    def has(self, pair: PairSettings) -> bool:
        """Whether it was told to load just this; who drafts may be another."""
        return self.loaded is not None and replace(self.loaded, drafter=pair.drafter) == pair

    @property
    def is_busy(self) -> bool:
        """Whether an answer is running, or being stopped, in whichever chat."""
        return self.state in BUSY

    @property
    def is_free(self) -> bool:
        """Whether nothing is being answered in any chat, and nothing waits to be."""
        return not self.is_busy and not self.jobs

    def answers(self, conversation: Conversation) -> bool:
        """Whether an answer is running there, or being stopped."""
        return self.is_busy and self.running is conversation

    @property
    def answering(self) -> bool:
        """Whether an answer is running here, or being stopped."""
        return self.answers(self.conversation)

    @property
    def waiting(self) -> int:
        """How many questions wait here."""
        return len(self.waiting_of(self.conversation))

    @property
    def can_take_back(self) -> bool:
        """Whether what was asked last here is a question, and waits."""
        last = self.waiting_of(self.conversation)[-1:]
        return any(isinstance(job, Job) and job.kind == "ask" for job in last)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered here, and nothing waits to be."""
        return self.is_idle_in(self.conversation)

    def is_idle_in(self, conversation: Conversation) -> bool:
        """The same of a chat, shown or not."""
        return not self.answers(conversation) and not self.waiting_of(conversation)

    @property
    def shown(self) -> Shown:
        """What the engine does, as the chat that is shown sees it."""
        if self.is_busy and not self.answering:
            return "elsewhere"
        is_summary = self.state == "answering" and isinstance(self._job, Condense)
        return "summarising" if is_summary else self.state

    @property
    def how_far(self) -> str:
        """Say how far the summary is that is made, "" until that is known."""
        return self._job.making.how_far if isinstance(self._job, Condense) else ""

    def put_off(self, is_put_off: Callable[[Conversation], bool] = nobody) -> None:
        """Ask nothing that waits in some chats as long as this says so."""
        self._is_put_off = is_put_off
        self.work.set()

    @property
    def next_job(self) -> Job | Condense | None:
        """What is to be done next."""
        return next((job for job in self.jobs if not self._is_put_off(job.conversation)), None)

    def submit(self, job: Job | Condense) -> None:
        """Have a question answered, or a summary made, when its turn comes."""
        self.jobs.append(job)
        self.work.set()

    def take_back(self) -> int | None:
        """Withdraw the question that was asked last here, if it still waits; return its key."""
        waiting = self.waiting_of(self.conversation)
        if not waiting:
            return None
        self.jobs.remove(waiting[-1])
        return waiting[-1].key

    def ask_again(self) -> None:
        """Ask first what the engine died of, if that turn is still there, and nobody has had it
        asked again meanwhile.
        """
        job, self._unanswered = self._unanswered, None
        if job is None:
            return
        conversation = job.conversation
        is_there = conversation.turns[-1:] == [conversation.current]
        if is_there and not any(one.asks_again for one in self.waiting_of(conversation)):
            self.jobs.appendleft(Job(job.key, conversation, "retry"))

    def drop(self, conversation: Conversation) -> None:
        """Ask nothing that waits there, nor again what the engine died of."""
        for job in self.waiting_of(conversation):
            self.jobs.remove(job)
        if self._unanswered is not None and self._unanswered.conversation is conversation:
            self._unanswered = None

    def waiting_of(self, conversation: Conversation) -> list[Job | Condense]:
        """Return what waits there, oldest first."""
        return [job for job in self.jobs if job.conversation is conversation]
