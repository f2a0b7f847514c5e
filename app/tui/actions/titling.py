"""A chat's title, written by the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import AppError
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 6


def title(chat: ChatView, _: str) -> None:
    """Have the model write a title for this chat, as soon as it has nothing else to do."""
    from app.chat.titles import Titling

    if chat.is_resting:
        raise AppError("No model is loaded that could write a title.")
    conversation = chat.session.conversation
    before = chat.tabs.title(chat.tabs.open.current)
    chat.session.spare.wish(Titling(conversation, before, is_asked=True))
    chat.say("The model writes a title.")


def has_answer(chat: ChatView) -> bool:
    return any(turn.answer for turn in chat.session.conversation.turns)


def nothing_yet(_: ChatView) -> str:
    return "There is no answer yet that a title could be made of."


ACTIONS = (
    Action(
        "title",
        "Title by the model",
        title,
        makes_sense=has_answer,
        also="rename name call topic summary",
        why_not=nothing_yet,
    ),
)
