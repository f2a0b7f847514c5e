"""Coming back to where the person was: the last chat is shown again, and what is the last is kept.

Where the start brings a question, that is asked.

Nothing is read before the first picture is painted. The chat does not come back to who has begun
another one meanwhile, be it without a question yet, nor if it is empty or deleted.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual.signal import Signal

from app import slash
from app.attachments import attached
from app.errors import AppError, HistoryError
from app.history import Chat
from app.last import Last, write_last
from app.recorder import HistoryRecorder
from app.tui.failures import said
from app.tui.opening import show_opened
from app.tui.session import State
from app.tui.threads import in_thread
from app.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen


class Resuming:
    """path: where the last pair and chat are kept, as `last`. is_new: begin a new chat. notice: why
    another pair is loaded than the last one. question: what is asked at once, "" for nothing.
    """

    def __init__(
        self, path: Path, last: Last, is_new: bool = False, notice: str = "", question: str = ""
    ) -> None:
        self._path, self._last, self._kept = path, last, last
        self._is_new, self._notice, self._question = is_new, notice, question
        self._is_writing = False
        self.is_back = asyncio.Event()

    async def begin(self, chat: ChatScreen, changed: Signal[State]) -> None:
        """Show the last chat, and keep from now on what is the last.

        At the end `is_back` is set: what is typed from then on is meant for what is shown.
        """
        try:
            await self._begin(chat, changed)
        finally:
            self.is_back.set()

    async def _begin(self, chat: ChatScreen, changed: Signal[State]) -> None:
        recorder, number = chat.asking.recorder, self._last.chat
        if recorder is not None and number is not None and not self._is_new:
            await self._show(chat, recorder, number)
        if self._notice:
            await chat.talk.transcript.note(self._notice)
        changed.subscribe(chat, lambda _: self._follow(chat))
        self._follow(chat)
        if self._question:
            await self._ask(chat)

    async def _ask(self, chat: ChatScreen) -> None:
        """Ask as if the question were typed, whatever is in the prompt meanwhile."""
        chat.prompt.past.add(self._question)
        try:
            command = slash.parse(self._question)
            question = slash.message(self._question)
            files = [] if command else await in_thread(lambda: attached(question, Path.cwd()))
        except AppError as error:
            chat.notify(said(error), severity="error", markup=False)
            return
        if command is not None:
            chat.post_message(Prompt.Commanded(command.name, command.argument))
        else:
            chat.post_message(Prompt.Submitted(question, tuple(files)))

    async def _show(self, chat: ChatScreen, recorder: HistoryRecorder, number: int) -> None:
        try:
            found = await in_thread(lambda: _found(recorder, number))
        except HistoryError as error:
            chat.log.warning(said(error))
            return
        is_other = chat.asking.has_begun or bool(chat.talk.transcript.turns)
        if found is not None and found.path() and not is_other:
            await show_opened(chat, recorder, recorder.take(found))

    def _follow(self, chat: ChatScreen) -> None:
        """Note what has changed."""
        recorder, session = chat.asking.recorder, chat.session
        if session.state in ("ready", "answering"):
            self._last = self._last.with_pair(session.settings)
        if recorder is not None and recorder.chat is not None:
            self._last = msgspec.structs.replace(self._last, chat=recorder.chat)
        if self._last != self._kept and not self._is_writing:
            self._is_writing = True
            chat.run_worker(self._keep(chat))

    async def _keep(self, chat: ChatScreen) -> None:
        """Write until what is written is the last."""
        try:
            while self._kept != self._last:
                last = self._kept = self._last
                await in_thread(partial(write_last, self._path, last))
        except OSError as error:
            chat.log.warning(said(error))
        finally:
            self._is_writing = False


def _found(recorder: HistoryRecorder, number: int) -> Chat | None:
    return recorder.read(number) if recorder.has(number) else None
