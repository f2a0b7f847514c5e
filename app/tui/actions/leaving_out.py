"""Leaving one turn out of what is sent to the model, and taking it in again; it stays in sight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.prompts.slash import SlashError
from app.terminal.sanitise import one_line
from app.tui.actions import Action, not_now
from app.tui.asked import has_turn
from app.tui.figures.shown_figures import count_in_use

if TYPE_CHECKING:
    from app.chat.conversation import Turn
    from app.tui.chat_view import ChatView

ORDER = 3
LONGEST = 60
COVERED = "This turn is not sent anyway: it is one of the oldest, which are left out or summarised."


async def leave_out(chat: ChatView, number: str) -> None:
    """Leave a turn out, or take it in again: the one with this number, the chosen one, the last."""
    turns = chat.session.conversation.turns
    turn = _numbered(turns, number) if number else chat.asking.meant()
    at = next(place for place, each in enumerate(turns) if each is turn)
    if at < chat.session.conversation.left_out and not turn.skipped:
        raise AppError(COVERED)
    turn.skipped = not turn.skipped
    if chat.asking.recorder is not None:
        chat.asking.recorder.skipped(turn)
    told = "is left out of what is sent" if turn.skipped else "is sent again"
    chat.say(f"“{_named(turn)}” {told}, with its answer.")
    await count_in_use(chat)


def _numbered(turns: list[Turn], number: str) -> Turn:
    if int(number) > len(turns):
        raise SlashError(f"There is no question {number}; this chat has {len(turns)}.")
    turn = turns[int(number) - 1]
    if not turn.answer:
        raise AppError("This question has no answer, so it is not sent anyway.")
    return turn


def _named(turn: Turn) -> str:
    return one_line(turn.question, LONGEST)


def choices(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer the turns by their numbers."""
    for number, turn in enumerate(chat.session.conversation.turns, 1):
        yield str(number), ("left out: " if turn.skipped else "") + _named(turn)


def can_leave_out(chat: ChatView) -> bool:
    return chat.is_idle and has_turn(chat)


def title(chat: ChatView) -> str:
    """Say what it does to the turn that is meant without a number."""
    try:
        return "Send again" if chat.asking.meant().skipped else "Leave out"
    except AppError:
        return "Leave out"


ACTIONS = (
    Action(
        "leave-out",
        "Leave out",
        leave_out,
        "send this question and its answer no more, or again; both stay in the chat",
        ("alt+l",),
        makes_sense=can_leave_out,
        choices=choices,
        now=title,
        why_not=not_now,
        also="exclude skip ignore hide forget omit turn message context bring back",
    ),
)
