"""What is typed in the open chats and not sent: collected to be kept, and put back at the start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.drafts import Draft, draft
from app.tui.open_chats import OpenChat

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen


def collected(chat: ChatScreen) -> tuple[Draft, ...]:
    """Return what is typed in each open chat in which something is."""
    found = []
    for one in chat.tabs.open:
        is_shown = one is chat.tabs.open.current
        typed, pasted = (
            (chat.prompt.text, chat.prompt.attachments) if is_shown else (one.typed, one.pasted)
        )
        aside = one.asking.draft if one.asking is not None else ""
        text = "\n\n".join(filter(None, (aside, typed)))
        found.append(draft(text, pasted, one.number, is_shown))
    return tuple(filter(None, found))


def put_back(chat: ChatScreen, drafts: Iterable[Draft]) -> None:
    """Have each in the box of its chat; Up brings that of a chat which has not come back."""
    chats = chat.tabs.open
    for each in drafts:
        one = chats.find(each.chat) if each.chat is not None else None
        if one is None and each.is_shown:
            one = chats.current
        if one is None and each.chat is None:
            chats.surround([], [one := OpenChat()])
        if one is None:
            chat.prompt.past.add(each.text)
        elif one is chats.current:
            chat.prompt.take(each.text)
            for paste in each.pasted:
                chat.prompt.attach(paste)
        else:
            one.typed, one.pasted = each.text, each.pasted
