"""What to do when the context is full: chosen below the chat (widgets/full_choice.py), or in the
palette.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 3


async def leave_out(chat: ChatScreen, _: str) -> None:
    """Do without the oldest turns, as many as was said, and ask again or go on."""
    full = chat.full.full
    if full is None or full.left_out is None:
        return
    if full.is_cut:
        await chat.asking.go_on(full.left_out)
    else:
        await chat.asking.ask_again(None, full.left_out)


def can_leave_out(chat: ChatScreen) -> bool:
    return chat.full.full is not None and chat.full.full.left_out is not None


async def move(chat: ChatScreen, _: str) -> None:
    """Ask the last question in a new chat."""
    await chat.asking.move()


def can_move(chat: ChatScreen) -> bool:
    return chat.full.full is not None and chat.full.full.can_move


ACTIONS = (
    Action(
        "leave-out",
        "Leave out the oldest turns",
        "make room in a full context",
        leave_out,
        makes_sense=can_leave_out,
    ),
    Action(
        "move",
        "Ask in a new chat",
        "begin a new chat with this question",
        move,
        makes_sense=can_move,
    ),
)
