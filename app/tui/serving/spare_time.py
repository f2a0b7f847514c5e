"""What the engine does while nobody waits for it: titles of chats. Whoever wants it goes first.
While it does nothing at all, it is seen whether it lives.

What is interrupted so is done anew when there is time again; what the engine refuses, or dies of,
is given up. For all others the engine is free meanwhile. It knows no widget: what has ended, it
posts.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import aclosing

from textual.message import Message

from app.chat.conversation import Conversation, Engine
from app.chat.titles import Titling
from app.tui.failures import death_of
from app.tui.serving.messages import TitleEnded


class SpareTime:
    """wanted: is set as soon as somebody wants the engine."""

    def __init__(
        self, engine: Engine, wanted: asyncio.Event, post: Callable[[Message], object]
    ) -> None:
        self._engine, self._wanted, self._post = engine, wanted, post
        self._wishes: deque[Titling] = deque()

    def wish(self, titling: Titling) -> None:
        """Have a title made when there is time; a wish for the same chat is taken back."""
        self.forget(titling.conversation)
        self._wishes.append(titling)
        self._wanted.set()  # whoever serves looks what there is to do

    def forget(self, conversation: Conversation) -> None:
        """Make no title for this chat any more."""
        for titling in [one for one in self._wishes if one.conversation is conversation]:
            self._wishes.remove(titling)

    async def use(self, sees: bool) -> Exception | None:
        """Do what is wished, and then nothing, until somebody wants the engine; return what it died
        of, if it did. sees: whether the pair takes pictures.
        """
        while self._wishes and not self._wanted.is_set():
            titling = self._wishes[0]
            titling.conversation.sees = sees
            death = await self._do(titling)
            if titling.was_stopped:
                break
            if titling in self._wishes:  # else nobody wants it any more
                self._wishes.remove(titling)
                self._post(TitleEnded(0, titling))
            if death is not None:
                return death
        return None if self._wanted.is_set() else await self._outlived()

    async def _outlived(self) -> Exception | None:
        """Wait until somebody wants the engine; return what it died of, if it does before."""
        watch: Callable[[], Coroutine[None, None, Exception | None]] | None
        watch = getattr(self._engine, "ended", None)
        if watch is None:
            return None
        ending, wanted = asyncio.create_task(watch()), asyncio.create_task(self._wanted.wait())
        try:
            await asyncio.wait((ending, wanted), return_when=asyncio.FIRST_COMPLETED)
            return ending.result() if ending.done() else None
        finally:
            ending.cancel()
            wanted.cancel()

    async def _do(self, titling: Titling) -> Exception | None:
        giving_way = asyncio.create_task(self._give_way())
        try:
            async with aclosing(titling.do()) as events:
                async for _ in events:
                    if self._wanted.is_set():  # perhaps before the engine had the request
                        await self._engine.cancel()
        except Exception as error:
            return death_of(error)
        finally:
            giving_way.cancel()
        return None

    async def _give_way(self) -> None:
        await self._wanted.wait()
        await self._engine.cancel()
