"""The own settings of the chats that are open: kept in the history, brought back, put into force.

What the chat in sight has chosen is in `chat.chosen`, that of another one in its OpenChat. The
flags of the start are the choice of every chat that is begun with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.chat.about_me import know_as_kept
from app.settings.rows import ROWS, shown
from app.terminal.sanitise import one_line
from app.tui.chats.open_chats import OpenChat
from app.tui.preferences.own_settings import (
    Choice,
    ask_as,
    asked_with,
    brought_back,
    kept_with,
    own,
    taken_up,
)
from app.tui.preferences.setting_sources import loading_of

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


def chosen_in(chat: ChatView, one: OpenChat) -> Choice:
    """Return what is chosen in an open chat."""
    return chat.chosen if one is chat.tabs.open.current else one.chosen


def choose(chat: ChatView, one: OpenChat, chosen: Choice) -> None:
    """Have this be the whole choice of an open chat, and have it asked so."""
    one.chosen = own(chosen)
    if one is chat.tabs.open.current:
        chat.chosen = taken_up(chat.chosen, one.chosen)
    settle(chat, one)


def settle(chat: ChatView, *some: OpenChat) -> None:
    """Have these chats, all if none is named, asked with what holds now and what is chosen there.

    A seed that is to be random is drawn anew.
    """
    for one in some or chat.tabs.open:
        if one.asking is not None:
            settings = asked_with(chat.session.settings, chosen_in(chat, one))
            ask_as(one.asking.conversation, settings)


def follow_pair(chat: ChatView) -> None:
    """Have all chats asked with the settings of another pair, and what is chosen there; of how a
    pair is loaded, nothing else is chosen than it has.
    """
    now = loading_of(chat.session.settings.pair)
    chat.chosen |= {name: value for name, value in now.items() if name in chat.chosen}
    for one in chat.tabs.open:
        if one.asking is not None:
            one.asking.conversation.drafter = None
    settle(chat)


def keep(chat: ChatView, names: Iterable[str]) -> None:
    """Keep what is chosen now of these settings, with the chat in sight."""
    recorder = chat.asking.recorder
    if recorder is not None:
        kept = recorder.system, recorder.settings
        recorder.configure(*kept_with(kept, chat.chosen, names))


def bring_back(chat: ChatView, opened: OpenChat) -> str:
    """Have a chat asked as it was kept; return a line about what cannot be, "" if all can."""
    asking, recorder = opened.asking, opened.asking.recorder if opened.asking is not None else None
    if asking is None or recorder is None:
        return ""
    know_as_kept(asking.conversation, recorder)
    chosen, wrong = brought_back(recorder.system, recorder.settings)
    choose(chat, opened, chosen)
    told = f"Not taken from what was kept with this chat: {' '.join(wrong)}"
    return one_line(told) if wrong else ""


def insist(chat: ChatView) -> str:
    """Have the flags of this start hold in the chat that came back, though it keeps its own; return
    a line that says so, "" where they are not against it.
    """
    now = own(chat.chosen)
    said = {n: value for n, value in chat.tabs.flag_choice.items() if n in now and now[n] != value}
    if not said:
        return ""
    choose(chat, chat.tabs.open.current, now | said)
    told = [
        f"{ROWS[n].label} {shown(ROWS[n], value)} (this chat's own: {shown(ROWS[n], now[n])})"
        for n, value in said.items()
    ]
    return f"The flags of this start hold here for now: {', '.join(told)}."
