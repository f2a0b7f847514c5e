"""What the prompt says of the keys that matter now."""

from __future__ import annotations

from app.tui.session import Session

IDLE_HINT = "Enter sends · Ctrl+J new line"
HINTS = {
    "answering": "Esc or Ctrl+C stops the answer",
    "stopping": "stopping… Esc again restarts the engine",
    "editing": "Enter sends the changed question · Esc leaves it as it was",
    "back": "Esc keeps the former model",
}


def hint(session: Session, is_editing: bool) -> str:
    """Return the line below the prompt."""
    state: str = session.state
    if state == "loading" and session.can_go_back:
        state = "back"
    elif session.is_idle and is_editing:
        state = "editing"
    return HINTS.get(state, IDLE_HINT)
