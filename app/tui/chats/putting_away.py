"""Chats that are put away from their list, deleted or archived, and the way back, last first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.history import DELETED_FOR_S, ChatInfo, History
from app.terminal.sanitise import one_line
from app.tui.chats.chat_row import DAY_S, UNTITLED

DELETED = (
    f"is deleted, and kept for {DELETED_FOR_S // DAY_S} days. {{chats-undo}} brings it back, "
    "{chats-deleted} shows or erases it."
)
ARCHIVED = "is archived. {chats-undo} brings it back, {chats-archived} shows the archive."
BACK = "is among the chats again."


@dataclass(frozen=True, slots=True)
class Step:
    """What was done to a chat. undo: takes it back; of_archive: the chat was in the archive."""

    chat: int
    undo: Callable[[int], None]
    of_archive: bool


class PuttingAway:
    """As long as the list is open. deleted, archived: what it has put away, and is so still;
    erased: what was erased there.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._steps: list[Step] = []
        self.deleted: set[int] = set()
        self.archived: set[int] = set()
        self.erased: set[int] = set()

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._steps)

    def delete(self, info: ChatInfo) -> str:
        """Delete a chat; return what became of it, with names of keys in braces."""
        self._history.delete(info.id)
        self.deleted.add(info.id)
        self._steps.append(Step(info.id, self._undelete, info.archived))
        return DELETED

    def archive(self, info: ChatInfo) -> str:
        """Put a chat into the archive, or bring it back from there; return what became of it."""
        change, undo = self._archive, self._unarchive
        if info.archived:
            change, undo = undo, change
        change(info.id)
        self._steps.append(Step(info.id, undo, info.archived))
        return BACK if info.archived else ARCHIVED

    def undo(self) -> Step:
        """Take back what was done last, and return it."""
        step = self._steps.pop()
        step.undo(step.chat)
        return step

    def forget(self, chats: Iterable[int]) -> None:
        """Somebody else has decided on these."""
        gone = set(chats)
        self._steps = [step for step in self._steps if step.chat not in gone]
        self.deleted -= gone

    def _undelete(self, chat: int) -> None:
        self._history.undelete(chat)
        self.deleted.discard(chat)

    def _archive(self, chat: int) -> None:
        self._history.archive(chat)
        self.archived.add(chat)

    def _unarchive(self, chat: int) -> None:
        self._history.unarchive(chat)
        self.archived.discard(chat)


def called(info: ChatInfo) -> str:
    """Return what a chat is called in a line that tells what became of it."""
    return f"“{one_line(info.title, 60) or UNTITLED}”"
