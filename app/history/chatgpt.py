"""Conversations as ChatGPT exports them (`conversations.json`), with all their branches.

A conversation is a `mapping` of nodes that name their parents; `current_node` ends the branch that
is shown. Kept are the texts of questions and answers. System and tool messages, calls of tools and
what the person never saw are passed over; pictures, files, thoughts and other parts that are no
plain text are left out and counted; of a question that has nothing else it is told what they were.
Several answers in a row, with tools between them, become one.

A conversation of another shape, or that is no tree, is left out and counted, too. A node whose
parent is not there begins another branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import msgspec

from app.errors import HistoryError
from app.history.chatgpt_marks import n_added, read_as, unmarked
from app.history.conversations import SkippedError, converted
from app.history.interchange import Role, SharedChat, SharedMessage
from app.history.wordless import wordless
from app.terminal.sanitise import one_line

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_HIDDEN = ("user_editable_context", "model_editable_context")
_MARKS_OF_HIDDEN = ("is_visually_hidden_from_conversation", "is_user_system_message")
_TEXTS = ("text", "multimodal_text")
_SPOKEN = "audio_transcription"
LONGEST_NAME = 80


class _Author(msgspec.Struct, frozen=True):
    role: str


class _Content(msgspec.Struct, frozen=True):
    content_type: str
    parts: list[object] | None = None


class _Message(msgspec.Struct, frozen=True):
    author: _Author
    content: _Content | None = None
    create_time: float | None = None
    metadata: dict[str, object] | None = None
    recipient: str | None = None


class _Node(msgspec.Struct, frozen=True):
    message: _Message | None = None
    parent: str | None = None
    children: list[str] | None = None


class _Conversation(msgspec.Struct, frozen=True):
    mapping: dict[str, _Node]
    title: str | None = None
    create_time: float | None = None
    update_time: float | None = None
    current_node: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """A question, or a piece of an answer. above: the id of what was said before it."""

    role: Role
    text: str
    above: str | None
    at: float | None
    model: str


def is_chatgpt(found: object) -> TypeGuard[list[object]]:
    """Whether a file's content looks like ChatGPT's."""
    chats = found if isinstance(found, list) else []
    return any(isinstance(chat, dict) and "mapping" in chat for chat in chats)


def read(found: list[object], most: int, latest: float) -> tuple[list[SharedChat], int]:
    """Return the chats in which something was said, and how many parts, or whole conversations,
    were left out.

    most: characters that the chats may have together. latest: times from then on, or before time,
    are not known. Raises HistoryError if they have more, or none can be read.
    """
    chats, n_left_out, why = [], 0, None
    for place, conversation in enumerate(found):
        try:
            reader = _Reader(conversation, f"$[{place}]", most, latest)
            chat = reader.chat()
        except SkippedError as error:
            why, n_left_out = why or error, n_left_out + 1
            continue
        most, n_left_out = reader.most, n_left_out + reader.n_left_out
        if chat.messages:
            chats.append(chat)
    if why and not chats:
        raise why
    return chats, n_left_out


class _Reader:
    """Reads one conversation."""

    def __init__(self, found: object, where: str, most: int, latest: float) -> None:
        """Raises SkippedError if it has another shape."""
        self.most, self.n_left_out = most, 0
        self._where, self._latest = where, latest
        self._conversation = converted(found, _Conversation, where)
        self._said: dict[str, _Said] = {}
        self._nearest: dict[str, str | None] = {}

    def chat(self) -> SharedChat:
        """Return it as a chat of ours. Raises HistoryError."""
        for id in self._in_order():
            self._hear(id)
        leaf, it = self._leaf(), self._conversation
        messages, places = self._messages(leaf)
        answered_by = self._said[leaf].model if leaf is not None else ""
        return SharedChat(
            it.title or "",
            messages,
            leaf=msgspec.UNSET if leaf is None else places[leaf],
            created_at=self._time(it.create_time),
            updated_at=self._time(it.create_time if it.update_time is None else it.update_time),
            pair=answered_by,
        )

    def _in_order(self) -> list[str]:
        """Return the ids of all nodes, parents first and siblings as their parent lists them."""
        mapping = self._conversation.mapping
        below: dict[str | None, list[str]] = {None: []}
        for id, node in mapping.items():
            parent = node.parent if node.parent in mapping else None
            below.setdefault(parent, []).append(id)
        order: list[str] = []
        waiting = below[None][::-1]
        while waiting:
            id = waiting.pop()
            order.append(id)
            places = {child: place for place, child in enumerate(mapping[id].children or ())}
            beneath = sorted(below.get(id, ()), key=lambda it: places.get(it, len(places)))
            waiting += reversed(beneath)
        if len(order) < len(mapping):
            lost = next(iter(mapping.keys() - set(order)))
            what = f"{self._where}.mapping goes round in a circle at {lost!r:.60}"
            raise SkippedError(f"Nothing was imported: {what}.")
        return order

    def _hear(self, id: str) -> None:
        """Note what is said at a node, whose parents are known."""
        node = self._conversation.mapping[id]
        above = None if node.parent is None else self._nearest.get(node.parent)
        self._nearest[id] = above
        message = node.message
        role = _ROLES.get(message.author.role) if message is not None else None
        if message is None or role is None or _is_hidden(message):
            return
        texts, n_other = _parts(message.content)
        self.n_left_out += n_other
        if role == "user":
            names = _files(message)
            self.n_left_out += len(names)
            texts = texts or [wordless(names, n_other)]
        else:
            texts = self._unmarked(texts, message.metadata or {})
        if role == "assistant" and above is None:  # an answer to nothing has no place here
            self.n_left_out += len(texts)
        elif texts:
            slug = (message.metadata or {}).get("model_slug")
            model = slug if isinstance(slug, str) else ""
            at = self._time(message.create_time)
            self._said[id] = _Said(role, "\n\n".join(texts), above, at, model)
            self._nearest[id] = id

    def _unmarked(self, texts: list[str], metadata: dict[str, object]) -> list[str]:
        """Return the texts of an answer as they are read."""
        alts = read_as(metadata)
        self._spend(sum(n_added(text, alts) for text in texts), "content_references")
        return [told for text in texts if (told := unmarked(text, alts)).strip()]

    def _leaf(self) -> str | None:
        """Return what was said last on the branch that is shown, or of all if that is unknown."""
        current = self._conversation.current_node
        if current is None or current not in self._nearest:
            return next(reversed(self._said), None)
        return self._nearest[current]

    def _messages(self, leaf: str | None) -> tuple[list[SharedMessage], dict[str, int]]:
        """Return the messages, and their places by the ids of the nodes where they end.

        A piece of an answer is no message of its own if all that follows are more pieces.
        """
        ends = set(self._said) - {it.above for it in self._said.values() if it.role != "user"}
        ends |= {it.above for it in self._said.values() if it.role == "user" and it.above}
        ends |= {id for id, it in self._said.items() if it.role == "user" or id == leaf}
        messages: list[SharedMessage] = []
        places: dict[str, int] = {}
        for id, said in self._said.items():
            if id not in ends:
                continue
            text, above = self._whole(said)
            places[id] = len(messages)
            parent = None if above is None else places[above]
            reason = "stop" if said.role == "assistant" else None
            messages.append(SharedMessage(said.role, text, parent, said.at, said.model, reason))
        return messages, places

    def _whole(self, said: _Said) -> tuple[str, str | None]:
        """Return a text with the pieces of the same answer before it, and what that follows."""
        pieces, above = [said.text], said.above
        while said.role == "assistant" and above and self._said[above].role == "assistant":
            pieces.append(self._said[above].text)
            above = self._said[above].above
        text = "\n\n".join(reversed(pieces))
        self._spend(len(text), "long answers in too many branches")
        return text, above

    def _spend(self, n_characters: int, on: str) -> None:
        self.most -= n_characters
        if self.most < 0:
            raise HistoryError(f"Nothing was imported: {self._where}.mapping repeats {on}.")

    def _time(self, at: float | None) -> float | None:
        return at if at is not None and 0 <= at < self._latest else None


def _is_hidden(message: _Message) -> bool:
    """Whether the person never saw it: set-up, or a call of a tool."""
    metadata = message.metadata or {}
    is_marked = any(metadata.get(mark) is True for mark in _MARKS_OF_HIDDEN)
    is_set_up = message.content is not None and message.content.content_type in _HIDDEN
    return is_marked or is_set_up or message.recipient not in (None, "all")


def _parts(content: _Content | None) -> tuple[list[str], int]:
    """Return the texts, and how many parts are something else."""
    if content is None:
        return [], 0
    if content.content_type not in _TEXTS:
        return [], 1
    parts = content.parts or []
    texts = [text for part in parts if isinstance(text := _text(part), str)]
    return [text for text in texts if text.strip()], len(parts) - len(texts)


def _files(message: _Message) -> list[str]:
    """Return the names of what is attached to a question, "" for one without, but for pictures
    among its parts.
    """
    attached = (message.metadata or {}).get("attachments")
    parts = (message.content and message.content.parts) or []
    pointers = [part.get("asset_pointer") for part in parts if isinstance(part, dict)]
    shown = {it.rpartition("/")[2] for it in pointers if isinstance(it, str)}
    found = []
    for each in attached if isinstance(attached, list) else ():
        id, name = (each.get("id"), each.get("name")) if isinstance(each, dict) else (None, None)
        if not isinstance(id, str) or id not in shown:
            found.append(one_line(name, LONGEST_NAME) if isinstance(name, str) else "")
    return found


def _text(part: object) -> object:
    """Return a part's text, be it that of something spoken; None if it has none."""
    if isinstance(part, dict):
        return part.get("text") if part.get("content_type") == _SPOKEN else None
    return part
