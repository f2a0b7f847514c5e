"""What another window has added to a chat that is open here, as far as it is over. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.history import StoredMessage


@dataclass(frozen=True, slots=True)
class Joined:
    """parents: of all that is over on the disk, in its order; new: what of that was not known;
    asked: the questions among it.
    """

    parents: dict[int, int | None]
    new: set[int]
    asked: list[StoredMessage]


def joined(messages: Sequence[StoredMessage], known: Collection[int]) -> Joined:
    """Say what is new to who knows these messages. An answer that is still being written there
    waits, and so does its question.
    """
    over = {*known, *(it.id for it in messages if it.role != "user" and it.reason is not None)}
    for message in reversed(messages):
        if message.id in over and message.parent is not None:
            over.add(message.parent)
    new = over.difference(known)
    parents = {it.id: it.parent for it in messages if it.id in over}
    return Joined(parents, new, [it for it in messages if it.role == "user" and it.id in new])
