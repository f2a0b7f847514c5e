"""What the prompt says below its text: the keys that matter now, and how long the question is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ASK = "Ask something"
READING = "Reading the files…"
IDLE_HINT = "Enter sends · Ctrl+J new line"
CODE_HINT = f"{IDLE_HINT} · Alt+K copies the code"
QUEUE_HINT = "Enter: asked next, after this answer · Esc stops it"
LEAVING_HINT = "Ctrl+C again quits"
STOP_HINT = "Esc or Ctrl+C stops the answer"
HINTS = {
    "stopping": "stopping… Esc again restarts the engine",
    "summarising": "Esc stops the summary: nothing has changed then",
    "editing": "Enter sends the change · Esc leaves it as it was",
    "back": "Esc keeps the former model",
    "elsewhere": "Enter: asked next, after the answer in another chat",
}
FENCES = ("```", "~~~")
FRAME = 4
"""Columns of the prompt's border that no title takes."""


def hint(chat: ChatScreen) -> str:
    """Return the line below the prompt."""
    session = chat.session
    state: str = session.shown
    if state == "answering":
        return _meanwhile(session.waiting, bool(chat.prompt.text.strip()))
    if state == "elsewhere" and session.waiting:
        return f"{_count(session.waiting)} for another chat · Esc takes it back"
    if chat.interrupt.is_armed and not chat.prompt.text:
        return LEAVING_HINT
    if state == "loading" and session.can_go_back:
        state = "back"
    elif session.is_idle and chat.asking.editing is not None:
        state = "editing"
    turns = session.conversation.turns
    has_code = bool(turns) and any(fence in turns[-1].answer for fence in FENCES)
    return HINTS.get(state, CODE_HINT if has_code else IDLE_HINT)


def _meanwhile(waiting: int, is_typing: bool) -> str:
    """Say what is to be known while an answer runs."""
    if waiting:
        return f"{_count(waiting)} · {STOP_HINT}"
    return QUEUE_HINT if is_typing else STOP_HINT


def _count(waiting: int) -> str:
    return f"{waiting} question{' waits' if waiting == 1 else 's wait'}"


def below(keys: str, count: str, width: int) -> str:
    """Join the keys and the length of the question; the latter alone where room is scarce."""
    joined = " · ".join(part for part in (keys, count) if part)
    return count if count and len(joined) > width - FRAME else joined
