"""The chats that are open at once: going to another one, and closing one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.prompts.slash import SlashError
from app.tui.actions import Action, Run, still_waits
from app.tui.chats.unsent import unsent
from app.tui.keys.keymap import told

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 5
BY_NUMBER = range(1, 10)
TWICE = "{close} again closes it, and what is not sent here is lost: Up cannot bring it."


def going(steps: int) -> Run[ChatView]:
    """Show the chat so many further on."""

    async def run(chat: ChatView, _: str) -> None:
        await chat.tabs.show(chat.tabs.open.beside(steps))

    return run


async def go(chat: ChatView, number: str) -> None:
    """Show an open chat by its number; without one, say which there are."""
    if not number:
        numbered = enumerate(chat.tabs.open, 1)
        chat.say("Open: " + " · ".join(f"{at} {chat.tabs.title(one)}" for at, one in numbered))
        return
    wanted = chat.tabs.open.at(int(number))
    if wanted is None:
        n = len(chat.tabs.open)
        raise SlashError(f"There is no chat {number}: {n} {'is' if n == 1 else 'are'} open.")
    await chat.tabs.show(wanted)


def numbers(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer the open chats."""
    return [(str(at), chat.tabs.title(one)) for at, one in enumerate(chat.tabs.open, 1)]


async def close(chat: ChatView, _: str) -> None:
    """Take a chat from the line of open ones, and stop its answer; it stays in the history."""
    closed, was_answering = chat.tabs.open.current, chat.session.answering
    left = unsent(chat, closed)
    if left.is_heavy and closed.given_up != left:
        closed.given_up = left
        chat.say(told(chat, TWICE))
        return
    title, is_kept = chat.tabs.title(closed), closed.number is not None
    is_gone = closed.is_kept_nowhere
    await chat.tabs.close(closed, gives_up=closed.given_up == left)
    stopped = ", its answer stopped" if was_answering else ""
    kept = told(chat, "{search} opens it again.") if is_kept else ""
    kept = "Nothing of it is kept." if is_gone else kept
    chat.say(f"“{title}” is closed{stopped}. {kept}".rstrip())


def has_others(chat: ChatView) -> bool:
    return len(chat.tabs.open) > 1


def is_alone(_: ChatView) -> str:
    """Say why there is no other chat."""
    return "Only this chat is open: {new} begins another, {search} opens an earlier one."


def can_close(chat: ChatView) -> bool:
    is_something = has_others(chat) or chat.talk.transcript.last_turn is not None
    return is_something and not chat.session.waiting


def why_open(chat: ChatView) -> str:
    """Say why this chat is not closed."""
    if chat.session.waiting:
        return still_waits(chat)
    return "There is nothing to close: this is the only chat, and it is empty."


ACTIONS = (
    Action(
        "next-chat",
        "Next chat",
        going(1),
        "show the next open chat",
        ("alt+n",),
        makes_sense=has_others,
        also="tab switch",
        why_not=is_alone,
    ),
    Action(
        "previous-chat",
        "Previous chat",
        going(-1),
        "show the open chat before",
        ("alt+p",),
        makes_sense=has_others,
        also="tab switch back",
        why_not=is_alone,
    ),
    Action(
        "chat",
        "Go to an open chat",
        go,
        "show an open chat by its number",
        tuple(f"alt+{number}" for number in BY_NUMBER),
        choices=numbers,
        also="tab switch number list",
        given={f"alt+{number}": str(number) for number in BY_NUMBER},
    ),
    Action(
        "close",
        "Close chat",
        close,
        "close this chat, which stays in the history; its answer is stopped",
        ("alt+w",),
        makes_sense=can_close,
        also="tab leave",
        why_not=why_open,
    ),
)
