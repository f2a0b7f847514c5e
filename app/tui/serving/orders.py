"""What a session is told: the settings of a pair, questions, and what to do with the engine."""

from __future__ import annotations

import operator
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

import msgspec

from app.chat.condense import Condensing
from app.chat.conversation import Conversation
from app.files.attachments import Attachment
from app.settings.habits import Habits
from engine import Delta, Finished, PairSettings, SamplingSettings, Started


class SessionSettings(Protocol):
    """What a chat needs to know; `app.settings.config.ChatSettings` is one."""

    @property
    def pair(self) -> PairSettings: ...
    @property
    def sampling(self) -> SamplingSettings: ...
    @property
    def predict(self) -> int | None: ...
    @property
    def system(self) -> str | None: ...
    @property
    def think(self) -> bool | None: ...
    @property
    def title(self) -> str: ...
    @property
    def habits(self) -> Habits: ...


def as_loaded(settings: SessionSettings, loaded: PairSettings | None) -> SessionSettings:
    """Return settings, a dataclass, with the pair as it was loaded, if it was, but who drafts."""
    if loaded is None:
        return settings
    pair = msgspec.structs.replace(loaded, drafter=settings.pair.drafter)
    return replace(settings, pair=pair)  # type: ignore[type-var]


Answering: TypeAlias = AsyncGenerator[Started | Delta | Finished, None]
Place: TypeAlias = Callable[[SessionSettings], PairSettings]
SAME: Place = operator.attrgetter("pair")


@dataclass(frozen=True, slots=True)
class Job:
    """What a conversation wants of the engine. kind: ask a question, ask turn `at` again, go on
    with the last answer. at: the turn whose place it takes, None for a new one. left_out: so many
    of the oldest turns are left out from now on, None: as before.
    """

    key: int
    conversation: Conversation
    kind: Literal["ask", "retry", "go on"] = "ask"
    question: str = ""
    attachments: tuple[Attachment, ...] = ()
    at: int | None = None
    left_out: int | None = None

    @property
    def asks_again(self) -> bool:
        """Whether it is about a turn that is there."""
        return self.kind != "ask"

    def do(self) -> Answering:
        """Have the conversation do it."""
        conversation = self.conversation
        match self.kind:
            case "ask":
                return conversation.ask(self.question, self.attachments, self.at)
            case "retry":
                return conversation.retry(-1 if self.at is None else self.at, self.left_out)
            case "go on":
                return conversation.go_on(self.left_out)


@dataclass(frozen=True, slots=True)
class Condense:
    """The summary of a conversation's oldest turns is wanted. then: what is asked with it at once;
    None: nothing.
    """

    making: Condensing
    then: Literal["retry", "go on"] | None = None
    key: int = 0

    @property
    def conversation(self) -> Conversation:
        return self.making.conversation

    @property
    def asks_again(self) -> bool:
        """Whether a turn that is there is asked with it."""
        return self.then is not None

    def do(self) -> Answering:
        """Have it made."""
        return self.making.do()


@dataclass(frozen=True, slots=True)
class Start:
    """Load the pair, if no engine runs."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Go on with another pair."""

    settings: SessionSettings


@dataclass(frozen=True, slots=True)
class GoBack:
    """Give up loading another pair, and take the former one again."""


@dataclass(frozen=True, slots=True)
class Unload:
    """End the engine, until somebody asks."""


Order: TypeAlias = Start | Switch | GoBack | Unload
