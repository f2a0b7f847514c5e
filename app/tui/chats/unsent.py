"""What is typed in the open chats and not sent, and what waits to be asked there: collected to be
kept, and put back at the start.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.chat.unsent import KeptUnsent, Unsent, beside, kept_unsent
from app.prompts.slash import typed as as_typed
from app.trimmed import trimmed_lines
from app.tui.chats.open_chats import OpenChat
from app.tui.preferences.chat_settings import choose, chosen_in, keep
from app.tui.preferences.own_settings import OWN, Choice, brought_back, own, to_keep
from app.tui.serving.orders import Job

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


def collected(chat: ChatView) -> tuple[KeptUnsent, ...]:
    """Return what is typed in each open chat in which something is."""
    found = []
    for one in chat.tabs.open:
        left = unsent(chat, one)
        is_shown = one is chat.tabs.open.current
        kept = kept_unsent(left.text, left.pasted, one.number, is_shown)
        if kept is not None and one.number is None:
            kept = kept.begun_with(*to_keep(chosen_in(chat, one)))
        found.append(kept)
    return tuple(filter(None, found))


def unsent(chat: ChatView, one: OpenChat) -> Unsent:
    """Return what waits to be asked in an open chat, or is on its way, and what is typed there."""
    is_shown = one is chat.tabs.open.current
    typed, pasted = (
        (chat.prompt.unsent, chat.prompt.attachments) if is_shown else (one.typed, one.pasted)
    )
    waiting = _waiting(chat, one)
    found = [
        Unsent((as_typed(job.question),), beside(job.question, job.attachments)) for job in waiting
    ]
    if is_shown:  # its files are being read
        question, beside_it = chat.prompt.enclosing.unsent
        found.append(Unsent((question,), beside_it))
    asking = one.asking
    found.append(asking.unsent(typed, pasted) if asking else Unsent((typed,), pasted))
    texts = (text for each in found for text in each.texts if text.strip())
    return Unsent(tuple(texts), tuple(paste for each in found for paste in each.pasted))


def _waiting(chat: ChatView, one: OpenChat) -> list[Job]:
    """Return the questions that nobody keeps yet."""
    if one.asking is None:
        return []
    jobs = (*chat.session.waiting_of(one.asking.conversation), *one.asking.on_way.values())
    return [job for job in jobs if isinstance(job, Job) and job.kind == "ask"]


def put_back(chat: ChatView, kept: Iterable[KeptUnsent]) -> None:
    """Have each in the box of its chat, or aside where that has not come back."""
    chats = chat.tabs.open
    for each in kept:
        one = chats.find(each.chat) if each.chat is not None else None
        if one is None and each.is_shown:
            one = chats.current
        if one is None and each.chat is None:
            new = OpenChat(typed=each.text, pasted=each.pasted, chosen=_begun_with(each))
            put_in_new(chat, new)
        elif one is None:
            put_aside(chat, each)
        elif one is chats.current:
            _put_in_sight(chat, each)
        else:
            one.typed, one.pasted = each.text, each.pasted


def _put_in_sight(chat: ChatView, each: KeptUnsent) -> None:
    """Have it in the box of the chat in sight; what was chosen there meanwhile goes before."""
    one = chat.tabs.open.current
    if chat.tabs.is_empty(one):
        choose(chat, one, {**_begun_with(each), **own(chat.chosen)})
        keep(chat, OWN)
        chat.show_state()
    chat.prompt.take(each.text)
    for paste in each.pasted:
        chat.prompt.attach(paste)


def _begun_with(each: KeptUnsent) -> Choice:
    """Return what is chosen in a chat of which nothing is kept, as far as it can be."""
    return brought_back(each.system, each.settings)[0] if each.system or each.settings else {}


def put_aside(chat: ChatView, left: KeptUnsent) -> None:
    """Have Up bring what was typed in a chat that is gone; a new chat has what Up cannot bring."""
    put_by(chat, Unsent((left.text,), left.pasted))


def put_by(chat: ChatView, left: Unsent, gives_up: bool = False) -> None:
    """Have Up bring it, or a new chat what Up cannot bring. gives_up: that is to be gone."""
    if left.is_heavy and not gives_up:
        put_in_new(chat, OpenChat(typed=left.text, pasted=left.pasted))
    else:
        for text in left.texts:
            chat.prompt.past.add(trimmed_lines(text))


def put_in_new(chat: ChatView, new: OpenChat) -> None:
    """Have a new chat, with what is in its box, beside the one that is shown."""
    chat.tabs.open.surround([], [new])
