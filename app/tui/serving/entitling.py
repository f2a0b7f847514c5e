"""Titles by the model: wished for after a chat's first answer, and given to the chat when made.

A title that the person gave is not replaced unasked. What was called otherwise meanwhile stays so.
The title of a chat that is not kept stands in its tab alone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from app.chat.conversation import Turn
from app.chat.titles import Titling
from app.errors import HistoryError
from app.history.title import title_of
from app.tui.background.threads import in_thread
from app.tui.chats.open_chats import OpenChat
from app.tui.chats.tabs import NEW
from app.tui.turns.fullness import FULL

if TYPE_CHECKING:
    from app.history import History
    from app.tui.chat_view import ChatView

NONE = "The model wrote no title that would be of use; “{title}” stays."


def entitle(chat: ChatView, opened: OpenChat, turn: Turn) -> None:
    """Wish for a title if this is a chat's first answer, and the model is to write titles."""
    asking = opened.asking
    if asking is None or chat.session.settings.habits.titles != "model":
        return
    answered = [each for each in asking.conversation.turns if each.answer]
    before = chat.tabs.title(opened)
    is_first = bool(answered) and answered[0] is turn and turn.reason not in FULL
    first = asking.recorder.first if asking.recorder is not None else ""
    if is_first and before in (NEW, title_of(turn.question), first):
        chat.session.spare.wish(Titling(asking.conversation, before))


async def entitled(chat: ChatView, titling: Titling) -> None:
    """Call the chat by the title that was made, if it is there and called as before."""
    found = (one for one in chat.tabs.open if one.asking is not None)
    opened = next((one for one in found if _is_of(one, titling)), None)
    if opened is None or chat.tabs.title(opened) != titling.before:
        return
    if titling.is_asked:
        if titling.title:
            chat.tabs.rename(opened, titling.title)
        title = chat.tabs.title(opened)
        chat.say(f"This chat is called “{title}”." if titling.title else NONE.format(title=title))
    elif titling.title and chat.history is not None and opened.number is not None:
        await _kept(chat, chat.history, opened, opened.number, titling)
    elif titling.title:
        opened.title = titling.title


async def _kept(
    chat: ChatView, history: History, opened: OpenChat, number: int, titling: Titling
) -> None:
    """Keep the title, unless a person has given one, be it in another window: then that is shown.
    What becomes of other chats is not looked at: who deletes some just now may bring them back.
    """
    history.entitle(number, titling.title)

    def kept() -> str:
        return history.titles([number]).get(number, "") if history.flush() else ""

    with suppress(HistoryError):  # told by what reads or writes more than a title
        title = await in_thread(kept)
        if title and chat.tabs.title(opened) == titling.before:
            opened.title = title
    chat.show_state()


def _is_of(opened: OpenChat, titling: Titling) -> bool:
    return opened.asking is not None and opened.asking.conversation is titling.conversation
