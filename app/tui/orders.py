"""What a session is told: the settings of a pair, questions, and what to do with the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine import PairSettings, SamplingSettings


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


Place: TypeAlias = Callable[[SessionSettings], PairSettings]


@dataclass(frozen=True, slots=True)
class Job:
    """A question that waits. question: None asks the last one again."""

    key: int
    question: str | None


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
