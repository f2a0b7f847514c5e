"""The chats that are open, on the screen: another one is shown, begun, closed, brought back.

Each has a transcript of its own, which stays as it is while another is shown, and so does what was
typed there and what was chosen for it. A chat that is left empty is not open any more. A chat
that comes back is read when it is shown first.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.history import Chat, History
from app.history.title import own_title, title_of
from app.tui.background.threads import in_thread
from app.tui.chats.open_chats import Label, OpenChat, OpenChats
from app.tui.chats.opening import show_opened
from app.tui.chats.unsent import put_by, unsent
from app.tui.failures import error_line
from app.tui.keys.keymap import told
from app.tui.preferences.chat_settings import settle
from app.tui.preferences.own_settings import Choice, own, taken_up, to_keep
from app.tui.serving.orders import Job
from app.tui.turns.asking import Asking
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

NEW = "New chat"
ANEW = (
    "A new chat begins with your usual settings; {settings}, {settings-keep} keeps a change for "
    "every chat."
)


class Tabs:
    """has_begun: whether a new chat was begun here, be it empty. flag_choice: what flags choose for
    every chat that is begun. moving: held while another chat is shown, or one is closed.
    """

    def __init__(
        self, chat: ChatView, recorder: Callable[[], HistoryRecorder | None], flag_choice: Choice
    ) -> None:
        self.has_begun, self.flag_choice = False, flag_choice
        self._chat, self._recorder = chat, recorder
        self._keys = itertools.count(1)
        self.moving = asyncio.Lock()
        self.open = OpenChats(OpenChat(chosen=flag_choice))
        asking = self._asking(chat.talk.transcript, recorder(), flag_choice)
        self.open.current.asking, chat.session.conversation = asking, asking.conversation

    @property
    def asking(self) -> Asking:
        """That of the chat that is shown."""
        asking = self.open.current.asking
        assert asking is not None, "it is shown"
        return asking

    def labels(self) -> list[Label]:
        """Return what is said of each."""
        return [label for _, label in self.labelled()]

    def labelled(self) -> list[tuple[OpenChat, Label]]:
        """Return the open chats, each with what is said of it."""
        return [(chat, self._label(chat)) for chat in self.open]

    @property
    def sole_title(self) -> str:
        """What the chat is called where no other one is open; "" if it has no title yet."""
        title = self.title(self.open.current)
        return "" if len(self.open) > 1 or title == NEW else title

    def title(self, chat: OpenChat) -> str:
        """Return what a chat is called, here as in the list of all."""
        asking = chat.asking
        first = asking.recorder.first if asking is not None and asking.recorder is not None else ""
        views = asking.transcript.turns if asking is not None else []
        return chat.title or first or (title_of(views[0].question) if views else "") or NEW

    def is_empty(self, chat: OpenChat) -> bool:
        """Whether nothing was asked in it, and nothing of it is kept."""
        asking = chat.asking
        is_blank = asking is not None and not asking.transcript.turns and not asking.on_way
        return is_blank and not chat.number

    def owner(self, key: int) -> OpenChat | None:
        """Return the chat that a question was asked in, None if that is closed."""
        shown = ((chat, chat.asking) for chat in self.open)
        found = (chat for chat, asking in shown if asking and asking.transcript.turn(key))
        return next(found, None)

    async def new(self) -> None:
        """Begin a new chat, unless this one is."""
        await self._begin(self.flag_choice)
        self._chat.prompt.focus()

    async def new_alike(self) -> None:
        """Begin a new chat with what is chosen in this one."""
        await self._begin(own(self._chat.chosen))

    async def _begin(self, chosen: Choice) -> None:
        self.has_begun = True
        if self.is_empty(self.open.current):
            return
        is_other = own(self._chat.chosen) != chosen
        await self.show(OpenChat(chosen=chosen))
        if is_other:
            self._chat.say(told(self._chat, ANEW))

    async def show(self, wanted: OpenChat, message: int | None = None) -> None:
        """Show another chat. message: one that is to be seen, where it is read only now.

        Raises HistoryError if it cannot be read; it is not open then.
        """
        async with self.moving:
            await self._show(wanted, message)

    async def close(self, chat: OpenChat, gives_up: bool = False) -> None:
        """Close a chat: its answer is stopped, for nobody could any more, and others wait for it.

        Up brings what is not sent; what Up cannot bring is in a new chat, or where the person
        gives it up, gone.
        """
        async with self.moving:
            if chat not in self.open:
                return
            if chat is self.open.current:
                self._chat.prompt.enclosing.take_back()
            left = unsent(self._chat, chat)
            if chat.asking is not None:
                chat.asking.on_way.clear()
                await self._chat.session.forget(chat.asking.conversation)
            while chat is self.open.current:  # what cannot be read is not open any more
                try:
                    await self._show(self.open.after(chat) or OpenChat(chosen=self.flag_choice))
                except HistoryError as error:
                    self._chat.notify(error_line(error), severity="error", markup=False)
            await self._drop(chat)
            put_by(self._chat, left, gives_up)
        self._chat.show_state()

    async def refresh(
        self, history: History, archived: Set[int] = frozenset(), deleted: Set[int] = frozenset()
    ) -> None:
        """Close what was deleted or archived meanwhile; call what was renamed by its name. deleted:
        by whoever sits here, who needs not be told.
        """
        numbers = [chat.number for chat in self.open if chat.number is not None]

        def titles() -> dict[int, str] | None:
            with suppress(HistoryError):  # what was put away here is closed all the same
                return history.titles(numbers) if history.flush() else None
            return None

        known, away = await in_thread(titles), archived | deleted
        for chat in self.open:
            if chat.number not in numbers or (known is None and chat.number not in away):
                continue
            if known is not None and chat.number in known and chat.number not in archived:
                chat.title = known[chat.number]
            else:
                title, lost = self.title(chat), self._lost(chat)
                if chat.number not in away:
                    lost = " and ".join(filter(None, ["as another window deleted it", lost]))
                await self.close(chat)
                if lost:
                    self._chat.say(f"“{title}” is closed, {lost}.")
        self._chat.show_state()

    def rename(self, chat: OpenChat, title: str) -> None:
        """Give a chat a title of the person's."""
        history, chat.title = self._chat.history, own_title(title)
        if history is not None and chat.number is not None:
            history.rename(chat.number, chat.title)

    def bring_back(
        self, numbers: Sequence[int], shown: int | None, titles: Mapping[int, str]
    ) -> None:
        """Have chats open as they were, around the one that is shown; none of them is read."""
        at = numbers.index(shown) if shown in numbers else len(numbers)

        def made(some: Sequence[int]) -> list[OpenChat]:
            return [OpenChat(kept=one, title=titles[one]) for one in some if one in titles]

        self.open.surround(made(numbers[:at]), made(numbers[at + 1 :]))

    async def thin(self) -> None:
        """Close those that are too many, and that nothing is lost with."""
        while (spare := self.open.spare(self._is_needed)) is not None:
            await self._drop(spare)

    async def _show(self, wanted: OpenChat, message: int | None = None) -> None:
        left = self.open.current
        if wanted is left:
            return
        found, asking = None, wanted.asking
        if asking is None:
            recorder = self._recorder()
            if recorder is not None and wanted.kept is not None:
                found = await self._read(recorder, wanted, wanted.kept)
                wanted.title = found.info.title
            transcript = await self._chat.talk.add()
            asking = wanted.asking = self._asking(transcript, recorder, wanted.chosen)
            settle(self._chat, wanted)
        if self._chat.prompt.enclosing.take_back():  # else it would be asked in the other chat
            self._chat.say("The question whose files were being read is back in its box.")
        self._put_by(left)
        self.open.go(wanted)
        self._take_up(wanted, asking)
        if self.is_empty(left) and not (left.typed.strip() or left.pasted):
            await self._drop(left)
        await self.thin()
        if found is not None:
            await show_opened(self._chat, wanted, found, message)

    async def _read(self, recorder: HistoryRecorder, chat: OpenChat, number: int) -> Chat:
        try:
            return await in_thread(partial(recorder.read, number))
        except HistoryError:
            left = unsent(self._chat, chat)
            self.open.remove(chat)
            put_by(self._chat, left)
            raise

    def _put_by(self, left: OpenChat) -> None:
        """Keep what is to be there again."""
        chat = self._chat
        left.typed, left.pasted = chat.prompt.unsent, chat.prompt.attachments
        left.chosen, left.given_up = own(chat.chosen), None

    def _take_up(self, wanted: OpenChat, asking: Asking) -> None:
        """Have the screen and the session be about this chat, all at once."""
        chat, session, conversation = self._chat, self._chat.session, asking.conversation
        conversation.drafter, conversation.sees = session.conversation.drafter, session.sees
        session.conversation = conversation
        chat.chosen = taken_up(chat.chosen, wanted.chosen)
        chat.talk.show(asking.transcript)
        _fill(chat.prompt, wanted)
        wanted.has_news = False
        turns = conversation.turns
        chat.show_figures_of(turns[-1] if turns else None)
        chat.show_state()

    def _is_needed(self, chat: OpenChat) -> bool:
        """Whether something would be lost or missed if it were closed."""
        label, session, asking = self._label(chat), self._chat.session, chat.asking
        waits = asking and (asking.on_way or session.waiting_of(asking.conversation))
        is_unsent = bool(chat.typed.strip() or chat.pasted)
        return bool(label.runs or label.has_news or waits or is_unsent or chat.is_kept_nowhere)

    def _asks(self, asking: Asking) -> bool:
        """Whether a question waits in a chat."""
        jobs = self._chat.session.waiting_of(asking.conversation)
        return bool(asking.on_way) or any(isinstance(j, Job) and j.kind == "ask" for j in jobs)

    def _lost(self, chat: OpenChat) -> str:
        """Say what does not come to its end where a chat is closed, "" for nothing."""
        waits = chat.asking is not None and self._asks(chat.asking)
        lost = ["its answer stopped"] if self._label(chat).runs else []
        who = "a new chat has" if unsent(self._chat, chat).is_heavy else "Up brings"
        lost += [f"what waited there not asked: {who} it"] if waits else []
        return " and ".join(lost)

    async def _drop(self, chat: OpenChat) -> None:
        if chat in self.open and chat is not self.open.current:
            self.open.remove(chat)
            if chat.asking is not None:
                await self._chat.talk.drop(chat.asking.transcript)

    def _asking(
        self, transcript: Transcript, recorder: HistoryRecorder | None, chosen: Choice
    ) -> Asking:
        chat = self._chat
        if recorder is not None:
            recorder.configure(*to_keep(chosen))
        return Asking(chat.session, transcript, chat.prompt, recorder, self._keys)

    def _label(self, chat: OpenChat) -> Label:
        runs = chat.asking is not None and self._chat.session.answers(chat.asking.conversation)
        return Label(self.title(chat), chat is self.open.current, runs, chat.has_news)


def _fill(prompt: Prompt, chat: OpenChat) -> None:
    """Have in the prompt what was typed in a chat and not sent."""
    prompt.text = ""
    prompt.verbatim = chat.asking is not None and chat.asking.amends
    prompt.take(chat.typed)
    prompt.show_pasted(chat.pasted)
    prompt.focus()
