"""What is read of the history. Times are seconds since 1970; ids are whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from app.history.figures import UNMEASURED, Attachment, Figures, unpack_spans
from app.history.tree import Tree
from engine import Span


@dataclass(frozen=True, slots=True)
class ChatInfo:
    """A chat in a list. is_title_own: the person wrote the title; pair: of its last message.

    deleted_at: None of a chat that is not deleted.
    """

    id: int
    title: str
    is_title_own: bool
    created_at: float
    updated_at: float
    pinned: bool
    pair: str
    n_questions: int
    archived: bool = False
    deleted_at: float | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A question or an answer. role: "user" or "assistant".

    parent: the message it follows, None for a first one. reason: why the answer ended; None of an
    answer that nobody is writing: the app ended before it did. pieces: packed spans. summary: of
    its branch up to itself, sent in the place of all that; "" if there is none. skipped: an answer
    that is left out, with its question, of what is sent.
    """

    id: int
    parent: int | None
    role: str
    content: str
    created_at: float
    pair: str = ""
    reason: str | None = None
    error: str = ""
    figures: Figures = UNMEASURED
    attachments: tuple[Attachment, ...] = ()
    pieces: bytes = field(default=b"", repr=False)
    summary: str = ""
    skipped: bool = False

    def spans(self) -> list[Span]:
        """Return who proposed each piece of the text."""
        return unpack_spans(self.pieces, self.content)


@dataclass(frozen=True, slots=True)
class Chat:
    """A whole chat: every branch, and which of them is shown.

    leaf: the message shown last, None if nothing is; messages: in the order of writing.
    """

    info: ChatInfo
    system: str
    settings: dict[str, object]
    leaf: int | None
    messages: tuple[StoredMessage, ...]
    tree: Tree = field(repr=False, compare=False)

    def path(self, message: int | None = None) -> list[StoredMessage]:
        """Return what is shown, first message first. message: one that is to be among them, be it
        from another branch.
        """
        leaf = self.tree.leaf_with(message, self.leaf)
        by_id = {each.id: each for each in self.messages}
        return [] if leaf is None else [by_id[id] for id in self.tree.path(leaf)]

    @property
    def are_pairs_told(self) -> bool:
        """Whether it has answers by more than one pair, so that each is worth its name."""
        answers = [message for message in self.messages if message.role == "assistant"]
        return len({answer.pair for answer in answers if answer.pair and answer.content}) > 1


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What came of an import: the chats' ids, how many of them are archived, how many parts were
    left out, being no question or answer in plain text, or damaged, and how many chats were here
    already.
    """

    chats: list[int]
    n_archived: int = 0
    n_left_out: int = 0
    n_known: int = 0


class Mark(NamedTuple):
    """A range of characters that matched: text[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A chat that was found. message: the best of its `n_found` messages, None if only its title.

    snippet: a harmless line of that message, "" without one; marks and title_marks: what matched.
    """

    chat: ChatInfo
    message: int | None
    role: str
    snippet: str
    marks: tuple[Mark, ...]
    title_marks: tuple[Mark, ...]
    n_found: int
