"""What the answers of a chat held when they were last read or written here: by that it is known
whether another window has written to one since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from app.history import StoredMessage
from app.history.figures import storable

Held: TypeAlias = tuple[str, str | None]
"""An answer's text, and why it ended; None: it has not."""
EMPTY: Held = ("", None)


class Seen:
    """Of one chat, by the answers' ids. It is read in any thread while one writes."""

    def __init__(self, messages: Iterable[StoredMessage] = ()) -> None:
        self._held = _held(messages)

    def running(self) -> set[int]:
        """Return the answers that were running elsewhere when they were read."""
        return {id for id, (_, reason) in self._held.items() if reason is None}

    def read(self, messages: Iterable[StoredMessage]) -> None:
        """Take in what these hold."""
        self._held = self._held | _held(messages)

    def wrote(self, answer: int, text: str, reason: str) -> None:
        """Take in that an answer has ended here."""
        self._held = {**self._held, answer: (storable(text), reason)}

    def differs(self, answer: int, messages: Iterable[StoredMessage]) -> bool:
        """Whether an answer, which is among these, holds something else than was seen, or is about
        to begin.
        """
        found = _held(messages).get(answer)
        return found is not None and (found != self._held.get(answer) or found == EMPTY)


def _held(messages: Iterable[StoredMessage]) -> dict[int, Held]:
    return {it.id: (it.content, it.reason) for it in messages if it.role != "user"}
