"""Chats on disk: saved as they are written, branching, searchable. Knows no screen and no engine.

`History` is all that others need; see history.py. It reads at once and writes behind its back, so
no method waits for the disk but `flush` and `close`.
"""

from app.history.figures import Attachment, Figures, Outcome
from app.history.history import DELETED_FOR_S, History
from app.history.importing import GO_ON, Progress
from app.history.records import BroughtIn, Chat, ChatInfo, Hit, Mark, StoredMessage

__all__ = [
    "DELETED_FOR_S",
    "GO_ON",
    "Attachment",
    "BroughtIn",
    "Chat",
    "ChatInfo",
    "Figures",
    "History",
    "Hit",
    "Mark",
    "Outcome",
    "Progress",
    "StoredMessage",
]
