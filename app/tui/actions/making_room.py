"""What to do when the context is full: chosen below the chat (widgets/full_choice.py), or in the
palette.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 3


async def make_room(chat: ChatView, _: str) -> None:
    """Do without the oldest turns, as many as was said, and ask again or go on."""
    full = chat.full
    if full is None or full.left_out is None:
        return
    if full.is_cut:
        await chat.asking.go_on(full.left_out)
    else:
        await chat.asking.ask_again(None, full.left_out)


def can_make_room(chat: ChatView) -> bool:
    return chat.full is not None and chat.full.left_out is not None


async def move(chat: ChatView, _: str) -> None:
    """Ask the last question in a new chat; where it has no answer, it leaves this one."""
    asking = chat.asking
    turn = asking.conversation.turns[-1]
    asking.leave_editing()
    await chat.tabs.new_alike()
    await chat.asking.ask(turn.question, turn.attachments)
    if not turn.answer:
        await asking.drop_last()


def can_move(chat: ChatView) -> bool:
    return chat.full is not None and chat.full.can_move


async def send_head(chat: ChatView, _: str) -> None:
    """Ask the question again with as much of its file as there is room for."""
    from app.tui.turns.fullness import swapped

    full, asking = chat.full, chat.asking
    if full is not None and full.head is not None:
        turn = asking.conversation.turns[-1]
        attachments = swapped(turn.attachments, full.head.file, full.head.n_lines)
        asking.leave_editing()
        await asking.drop_last()
        await asking.ask(turn.question, attachments)


def can_send_head(chat: ChatView) -> bool:
    return chat.full is not None and chat.full.head is not None


ACTIONS = (
    Action(
        "make-room",
        "Leave out the oldest turns",
        make_room,
        "leave out the oldest turns, which makes room in a full context",
        makes_sense=can_make_room,
    ),
    Action(
        "move",
        "Ask in a new chat",
        move,
        "begin a new chat with this question",
        makes_sense=can_move,
    ),
    Action(
        "send-head",
        "Send the first lines of the file",
        send_head,
        "send the first lines of a file that is too long for the context",
        makes_sense=can_send_head,
    ),
)
