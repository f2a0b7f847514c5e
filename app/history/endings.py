"""How an answer ended, in words (pure)."""

from __future__ import annotations

from app.history.records import StoredMessage
from app.terminal.sanitise import one_line

ENDINGS = {
    "stop": "",
    "cancelled": "stopped",
    "length": "cut off at the longest answer",
    "context": "cut off: the context was full",
    "too long": "not answered: it did not fit into the context",
    "edited": "edited by hand",
    "given": "given by a prompt",
}


def ending_of(message: StoredMessage, longest: int = 400) -> str:
    """Return why an answer is not what the model would have said, "" if it is; a harmless line."""
    reason = message.reason or "interrupted"
    return one_line(message.error, longest) or ENDINGS.get(reason, one_line(reason, longest))
