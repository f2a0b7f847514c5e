"""What is typed in the open chats and not sent, and what waits to be asked there: collected to be
kept, and put back at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from app.attachments import Attachment
from app.drafts import Draft, beside, draft
from app.prompt_history import LONGEST_PROMPT
from app.slash import typed as as_typed
from app.tui.open_chats import OpenChat
from app.tui.orders import Job

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
        waiting = _waiting(chat, one)
        texts = [as_typed(job.question) for job in waiting]
        texts += one.asking.unsent(typed) if one.asking is not None else (typed,)
        first = (each for job in waiting for each in beside(job.question, job.attachments))
        text = "\n\n".join(filter(None, texts))
        found.append(draft(text, (*first, *pasted), one.number, is_shown))
    return tuple(filter(None, found))


def _waiting(chat: ChatScreen, one: OpenChat) -> list[Job]:
    """Return the questions that nobody keeps yet."""
    jobs = chat.session.waiting_of(one.asking.conversation) if one.asking is not None else []
    return [job for job in jobs if isinstance(job, Job) and job.kind == "ask"]


def put_back(chat: ChatScreen, drafts: Iterable[Draft]) -> None:
    """Have each in the box of its chat, or aside where that has not come back."""
    chats = chat.tabs.open
    for each in drafts:
        one = chats.find(each.chat) if each.chat is not None else None
        if one is None and each.is_shown:
            one = chats.current
        if one is None and each.chat is None:
            put_in_new(chat, each.text, each.pasted)
        elif one is None:
            put_aside(chat, each)
        elif one is chats.current:
            chat.prompt.take(each.text)
            for paste in each.pasted:
                chat.prompt.attach(paste)
        else:
            one.typed, one.pasted = each.text, each.pasted


def put_aside(chat: ChatScreen, left: Draft) -> None:
    """Have Up bring the draft of a chat that is gone; what Up cannot bring is in a new chat."""
    if is_heavy(left.text, left.pasted):
        put_in_new(chat, left.text, left.pasted)
    else:
        chat.prompt.past.add(left.text)


def is_heavy(text: str, pasted: Sequence[Attachment]) -> bool:
    """Whether Up cannot bring what is typed and pasted."""
    return bool(pasted) or len(text.strip()) > LONGEST_PROMPT


def put_in_new(chat: ChatScreen, text: str, pasted: tuple[Attachment, ...]) -> None:
    """Have it in the box of a new chat, beside the one that is shown."""
    chat.tabs.open.surround([], [OpenChat(typed=text, pasted=pasted)])
