"""What a chat below the shell's prompt leaves on the terminal: what was asked last, answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.terminal.sanitise import sanitise
from app.thoughts import without_thinking

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView


def left_behind(chat: ChatView | None) -> str:
    """Return the last turn of the chat in sight as plain text, "" if nothing was asked there since
    it was opened.
    """
    conversation = chat.session.conversation if chat is not None else None
    if conversation is None or conversation.current is None or not conversation.turns:
        return ""
    turn = conversation.turns[-1]
    question = sanitise(turn.question).strip().replace("\n", "\n> ")
    answer = sanitise(without_thinking(turn.answer)).strip()
    return "\n\n".join(part for part in (f"> {question}", answer) if part) + "\n"
