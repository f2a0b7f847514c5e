"""What the session tells of an answer, shown in the chat that it belongs to, in sight or not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.chat.summary import NOTHING
from app.tui.figures.legend import Legend
from app.tui.serving.entitling import entitle, entitled
from app.tui.serving.messages import (
    AnswerBegan,
    AnswerEnded,
    AnswerGrew,
    AnswerNews,
    QuestionDropped,
    SummaryEnded,
    TitleEnded,
)
from app.tui.turns.authors import name_models
from app.tui.turns.compacting import ended
from engine import Delta

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


class Answers:
    """The figures are those of the chat in sight, and of no other."""

    def __init__(self, chat: ChatView) -> None:
        self._chat, self._legend = chat, Legend(chat)
        self._newest: tuple[object, Delta] | None = None

    async def tell(self, news: AnswerNews) -> None:
        """Show what has become of a question, or a summary; what is closed is not shown."""
        if isinstance(news, SummaryEnded):
            await ended(self._chat, news.job)
            return
        if isinstance(news, TitleEnded):
            await entitled(self._chat, news.titling)
            return
        owner = self._chat.tabs.owner(news.key)
        if owner is None or owner.asking is None:
            return
        asking, is_seen = owner.asking, owner is self._chat.tabs.open.current
        view = asking.transcript.turn(news.key)
        if view is None:
            return
        match news:
            case AnswerBegan(key, None):
                await view.begin(keeping=asking.keeps(key))
            case AnswerBegan(_, started) if started is not None:
                view.prefill(started)
            case AnswerGrew(_, delta):
                view.grow(delta)
                asking.transcript.grew()
                self._newest = (owner, delta) if is_seen else self._newest
            case AnswerEnded(_, turn):
                nothing = self._chat.figures.nothing if is_seen else NOTHING
                await view.end(turn, asking.places(turn), nothing)
                asking.transcript.grew()
                name_models(asking.transcript, asking.conversation.turns, asking.recorder)
                entitle(self._chat, owner, turn)
                owner.has_news = owner is not self._chat.tabs.open.current
                if not owner.has_news:
                    await self._legend.tell(turn, view)
                    self._newest = None
                    figures = self._chat.figures
                    self._chat.figures = figures.ended(turn.stats, turn.context_used)
            case QuestionDropped(key) if not await asking.dropped(key, is_seen):
                view.wait("not asked: there is no engine to answer it")

    def show_newest(self) -> None:
        """Show the running answer's figures, or how far a summary is, as often as a person can read
        them.
        """
        if self._chat.session.shown == "summarising":
            self._chat.show_hint()
        if self._newest is not None:
            owner, delta = self._newest
            if owner is self._chat.tabs.open.current:
                self._chat.figures = self._chat.figures.growing(delta, time.monotonic())
            self._newest = None
