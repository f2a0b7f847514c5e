"""What was asked in a chat: the tests that several actions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


def has_question(chat: ChatView) -> bool:
    """Whether a question is in sight, answered or not."""
    return chat.talk.transcript.last_turn is not None


def can_change(chat: ChatView) -> bool:
    """Whether a question is in sight, and nothing is being answered."""
    return chat.is_idle and has_question(chat)


def has_turn(chat: ChatView) -> bool:
    """Whether the model was asked anything, be there an answer or not."""
    return bool(chat.session.conversation.turns)
