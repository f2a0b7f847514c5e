"""Which figures the chat in sight shows: an earlier answer's, and what no running answer tells.

What it has of its context in use is then the engine's own count of what is sent now; until that is
there, what the last answer told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.tui.background.overtaking import overtake
from app.tui.figures.figures import Figures
from app.tui.figures.pace import NO_PACE
from app.tui.serving.messages import (
    AnswerBegan,
    AnswerEnded,
    AnswerNews,
    EngineDown,
    EngineNews,
    EngineReady,
    EngineUnloaded,
    PairChanged,
)
from engine import EngineError

if TYPE_CHECKING:
    from app.chat.conversation import Turn
    from app.tui.chat_view import ChatView

TRIES, POLL_S = 20, 0.05
"""The engine may be counting something else for a moment."""


def show_earlier(chat: ChatView, turn: Turn | None) -> None:
    """Show the figures of an answer that was given earlier; how it went is not kept."""
    stats = turn.stats if turn is not None else None
    is_others = turn is not None and turn.pair != chat.session.settings.title
    used = last_told(chat.session.conversation.turns)
    figures = replace(chat.figures.fresh(), stats=stats, is_others=is_others)
    chat.figures = replace(figures, context_used=used)
    begin_counting(chat)


def last_told(turns: Sequence[Turn]) -> int:
    """Return what was in use after the last turn that has a count, 0 without any."""
    return next((turn.context_used for turn in reversed(turns) if turn.context_used), 0)


def follow_engine(chat: ChatView, news: EngineNews) -> None:
    """Show what is loaded; with another pair, count anew, and show only what it answered itself."""
    match news:
        case EngineReady(ready):
            chat.figures = replace(chat.figures, ready=ready, last_draft=None)
            begin_counting(chat)
        case PairChanged(title):
            turns = chat.session.conversation.turns
            stats = next((turn.stats for turn in turns[-1:] if turn.pair == title), None)
            chat.figures = Figures(stats=stats, context_used=last_told(turns))
    if isinstance(news, EngineReady | EngineDown | EngineUnloaded):
        overtake(chat, weigh, chat, group="weigh")


def follow_answer(chat: ChatView, news: AnswerNews) -> None:
    """Forget how the answer before went; count what is in use where an answer's end tells not."""
    is_seen = chat.tabs.owner(news.key) is chat.tabs.open.current
    if isinstance(news, AnswerBegan) and is_seen:
        chat.figures = replace(chat.figures, pace=NO_PACE)
    elif isinstance(news, AnswerEnded):
        if is_seen and chat.figures.chosen != chat.session.conversation.drafter:
            show_drafter(chat)
        if not (is_seen and news.turn.answer and news.turn.context_used):
            begin_counting(chat)


def show_drafter(chat: ChatView) -> None:
    """Show who drafts from now on."""
    chat.figures = replace(chat.figures, chosen=chat.session.conversation.drafter)
    chat.talk.tell_drafters(chat.figures.drafting)


def begin_counting(chat: ChatView) -> None:
    """Have it counted in the background how much is in use."""
    overtake(chat, _count_soon, chat, group="in use")


async def _count_soon(chat: ChatView) -> None:
    for _ in range(TRIES):
        if await count_in_use(chat):
            return
        await asyncio.sleep(POLL_S)


async def count_in_use(chat: ChatView) -> bool:
    """Show how much is in use now; return False if the engine has something else to count."""
    conversation = chat.session.conversation
    if not conversation.turns or chat.state != "ready" or not chat.session.is_free:
        return True  # an answer will tell, or its end has it counted
    messages = conversation.messages()
    try:
        n = await chat.gauge.tokens(messages, conversation.think) if messages else 0
    except EngineError:  # the session tells of it
        return True
    if n is not None and conversation is chat.session.conversation and chat.session.is_idle:
        chat.figures = replace(chat.figures, context_used=n)
    return n is not None


async def weigh(chat: ChatView) -> None:
    """Show what the engine holds in memory."""
    rss_bytes = await chat.gauge.memory()  # other figures may change meanwhile
    chat.figures = replace(chat.figures, rss_bytes=rss_bytes)
