"""Coming back to where the person was: what was open is open again, with what was typed there and
not sent, and both are kept.

Where the start brings a question, that is asked.

Nothing is read before the first picture is painted, and of the chats that are not shown the titles
alone. The last chat is not shown to who has begun another one meanwhile, be it without a question
yet, nor does it come back if it is empty and nothing is typed in it, deleted or archived.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual.signal import Signal

from app.chat.unsent import KeptUnsent
from app.errors import AppError, HistoryError
from app.files.attachments import attached
from app.history import Chat, History
from app.last import Last, read_last, write_last
from app.prompts import slash
from app.prompts.prompt_history import LONGEST_PROMPT, PromptHistory
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.chats.addressed import Addressed, address, expect
from app.tui.chats.opening import show_opened
from app.tui.chats.unsent import collected, put_back
from app.tui.failures import error_line
from app.tui.preferences.chat_settings import insist
from app.tui.serving.shared_engine import State
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.top_bar import TopBar

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

UNSENT_S = 0.7
"""So often it is seen whether something has been typed."""


class Resuming:
    """path: where the last pair and chat are kept, as `last`; None: they are not. is_new: show a
    new chat, behind those that were open. notice: why another pair is loaded than the last one.
    question: what is asked at once, "" for nothing.
    """

    def __init__(
        self,
        path: Path | None,
        last: Last,
        is_new: bool = False,
        notice: str = "",
        question: str = "",
    ) -> None:
        self._path, self._last, self._kept = path, last, last
        self._is_new, self._notice, self._question = is_new, notice, question
        self._coming = last.unsent  # back in its chats soon
        if is_new:  # and none of it in the new one
            self._coming = tuple(
                msgspec.structs.replace(each, is_shown=False) for each in last.unsent
            )
        self._others: tuple[KeptUnsent, ...] = ()  # of another window, which writes the same file
        self._is_writing = self._has_any = False
        self._chat: ChatView | None = None
        self._file = threading.Lock()
        self.is_back = asyncio.Event()

    async def begin(self, chat: ChatView, changed: Signal[State]) -> None:
        """Show the last chat, and keep from now on what is the last.

        At the end `is_back` is set: what is typed from then on is meant for what is shown.
        """
        try:
            await self._begin(chat, changed)
        finally:
            self.is_back.set()

    async def _begin(self, chat: ChatView, changed: Signal[State]) -> None:
        self._chat = chat
        chat.query_one(TopBar).is_kept = chat.history is not None
        if chat.history is not None and self._last.chat is not None:
            await self._show(chat, chat.history, self._last.chat)
        if self._notice:
            await chat.talk.transcript.note(self._notice)
        if self._path is not None:
            coming, self._coming = self._coming, ()
            put_back(chat, coming)
            async with chat.tabs.moving:
                await chat.tabs.thin()  # what is typed in one keeps it
            chat.show_state()
            changed.subscribe(chat, lambda _: self._follow(chat))
            chat.set_interval(UNSENT_S, lambda: self._follow(chat))
            self._follow(chat)
        if self._question:
            await self._ask(chat)

    async def _ask(self, chat: ChatView) -> None:
        """Ask as if the question were typed, whatever is in the prompt meanwhile."""
        chat.prompt.past.add(self._question)
        try:
            if (command := slash.parse(self._question)) is not None:
                address(chat, Prompt.Commanded(command.name, command.argument))
            else:
                await _ask_with_files(chat, slash.message(self._question))
        except AppError as error:
            chat.notify(error_line(error), severity="error", markup=False)

    async def _show(self, chat: ChatView, history: History, number: int) -> None:
        numbers = self._last.open or (number,)
        try:
            titles, found = await in_thread(lambda: _found(history, numbers, number))
        except HistoryError as error:
            chat.log.warning(error_line(error))
            return
        tabs = chat.tabs
        is_other = (
            self._is_new or tabs.has_begun or len(tabs.open) > 1 or bool(chat.talk.transcript.turns)
        )
        is_other |= any(each.is_shown and each.chat is None for each in self._last.unsent)
        is_typed_in = any(each.chat == number for each in self._last.unsent)
        if found is None or not (found.path() or is_typed_in):
            titles.pop(number, None)
        is_shown = number in titles and not is_other
        tabs.bring_back(numbers, number if is_shown else None, titles)
        if (before := tabs.open.find(number)) is not None:
            tabs.open.count(before)
        if found is not None and is_shown:
            await show_opened(chat, tabs.open.current, found)
            if line := insist(chat):
                await chat.talk.transcript.note(line)
        chat.show_state()

    def _follow(self, chat: ChatView) -> None:
        """Note what has changed, and have it written."""
        self._note(chat)
        if self._last != self._kept and not self._is_writing:
            self._is_writing = True
            start(chat, self._keep, chat)

    def _note(self, chat: ChatView) -> None:
        session, tabs = chat.session, chat.tabs
        if session.state in ("ready", "answering"):
            self._last = self._last.with_pair(session.settings)
        numbers = tuple(one.number for one in tabs.open if one.number is not None)
        self._has_any = self._has_any or bool(numbers)
        if self._has_any:  # else nothing has taken the place of what was open last
            before = self._last.chat if self._last.chat in numbers else None
            shown = tabs.open.current.number or before or (numbers[-1] if numbers else None)
            self._last = msgspec.structs.replace(self._last, chat=shown, open=numbers)
        unsent = (*collected(chat), *self._coming)
        self._last = msgspec.structs.replace(self._last, unsent=unsent)

    async def _keep(self, chat: ChatView) -> None:
        """Write until what is written is the last."""
        try:
            while self._kept != self._last:
                await in_thread(self._write)
        except OSError as error:
            chat.log.warning(error_line(error))
        finally:
            self._is_writing = False

    def _write(self) -> None:
        assert self._path is not None, "else nothing is followed"
        with self._file:  # what is written later is never older
            self._look()
            last = self._last
            write_last(self._path, last)
            self._kept = last

    def _look(self) -> None:
        """See what another window has written since."""
        assert self._path is not None, "else nothing is followed"
        found = read_last(self._path)
        if found != self._kept:
            self._others = tuple(each for each in found.unsent if each not in self._kept.unsent)

    def close(self) -> None:
        """Keep what is the last at the end of the app, be it typed a moment ago. Where another
        window writes the same file, Up brings the texts that are not in it at the end; those that
        are too long for it are added to the file, for a new chat.
        """
        if self._chat is None or self._path is None:
            return
        self._note(self._chat)
        if self._last != self._kept:
            with contextlib.suppress(OSError):
                self._write()
        else:
            with self._file:
                self._look()
        with self._file:
            self._bring_back(self._chat.prompt.past, self._path)

    def _bring_back(self, past: PromptHistory, path: Path) -> None:
        found = read_last(path)
        there, long = _texts(found.unsent), []
        for each in (*self._others, *self._last.unsent):
            missing = [text for text in _texts([each]) if text not in there]
            if any(len(text) > LONGEST_PROMPT for text in missing):
                long.append(msgspec.structs.replace(each, chat=None, is_shown=False))
            else:
                for text in missing:
                    past.add(text)
        if long and found != Last():  # else it cannot be read
            with contextlib.suppress(OSError):
                write_last(path, msgspec.structs.replace(found, unsent=(*found.unsent, *long)))


async def _ask_with_files(chat: ChatView, question: str) -> None:
    """Ask in the chat that is in sight now, once the files that the question names are read. Raises
    AppError.
    """
    asking, take = chat.asking, chat.prompt.reader.take
    key = expect(asking, Prompt.Submitted(question))
    try:
        files = await in_thread(lambda: attached(question, Path.cwd(), take))
    except AppError:
        asking.on_way.pop(key, None)
        raise
    chat.post_message(Addressed(Prompt.Submitted(question, tuple(files)), asking, key))


def _texts(unsent: Sequence[KeptUnsent]) -> list[str]:
    return [text for each in unsent for text in (each.text, *(one.text for one in each.pasted))]


def _found(
    history: History, numbers: Sequence[int], shown: int
) -> tuple[dict[int, str], Chat | None]:
    """Return the titles of those chats that come back, and the one that is to be shown."""
    archived = history.archived(numbers)
    titles = {id: title for id, title in history.titles(numbers).items() if id not in archived}
    return titles, history.chat(shown) if shown in titles else None
