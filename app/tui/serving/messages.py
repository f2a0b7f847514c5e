"""What the session tells the chat screen. Every answer is named by the key of its question."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from app.chat.conversation import Turn
from app.chat.titles import Titling
from app.tui.serving.orders import Condense
from engine import Delta, Finished, Loading, Ready, Started


class EngineNews(Message):
    """What becomes of the engine and its pair."""


@dataclass
class EngineLoading(EngineNews):
    """The pair is being loaded; None before the engine has said how far it is."""

    progress: Loading | None


@dataclass
class EngineReady(EngineNews):
    """A pair is loaded. again: the engine had died before."""

    ready: Ready
    again: bool


@dataclass
class EngineLost(EngineNews):
    """The engine died while nothing was asked of it, and is started again."""

    error: str


@dataclass
class EngineNoticed(EngineNews):
    """An answer was made, but not as usual; a line each why."""

    notices: list[str]


@dataclass
class EngineDown(EngineNews):
    """The engine does not run and is not restarted by itself; the next question tries again."""

    error: str


@dataclass
class EngineUnloaded(EngineNews):
    """The engine was ended because the person wished so; the next question loads the pair again."""


@dataclass
class PairChanged(EngineNews):
    """The chat goes on with another pair, which is not loaded yet."""

    title: str


@dataclass
class SwitchFailed(EngineNews):
    """The other pair was not loaded, and the former one is back. error: "" if it was given up.
    is_undone: what was changed for the next load holds no longer.
    """

    title: str
    former: str
    error: str
    is_undone: bool


@dataclass
class AnswerNews(Message):
    """What becomes of a question, of whichever chat. key: its own."""

    key: int


@dataclass
class AnswerBegan(AnswerNews):
    """The question's turn has come. started: None until its prompt was tokenized."""

    started: Started | None = None


@dataclass
class AnswerGrew(AnswerNews):
    """More of the answer."""

    delta: Delta


@dataclass
class AnswerEnded(AnswerNews):
    """The answer is over, one way or the other."""

    turn: Turn


@dataclass
class SummaryEnded(AnswerNews):
    """A summary is made, or is not to be."""

    job: Condense


@dataclass
class TitleEnded(AnswerNews):
    """A chat's title is made, or is not to be."""

    titling: Titling


@dataclass
class QuestionDropped(AnswerNews):
    """A question that waited will not be asked, for there is no engine to answer it."""


def news_of(key: int, event: Started | Delta | Finished) -> Message | None:
    """Return what there is to tell of an event of the answer with this key, if there is anything:
    that it is over, who made it tells.
    """
    match event:
        case Started():
            return AnswerBegan(key, event)
        case Delta():
            return AnswerGrew(key, event)
        case Finished() if event.notices:
            return EngineNoticed(event.notices)
    return None
