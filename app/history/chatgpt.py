"""Conversations as ChatGPT exports them (`conversations.json`), with all their branches.

A conversation is a `mapping` of nodes that name their parents; `current_node` ends the branch that
is shown. Kept are the texts of questions and answers. System and tool messages, calls of tools and
what the person never saw are passed over; pictures, thoughts and other parts that are no plain text
are left out and counted. Several answers in a row, with tools between them, become one.

Raises msgspec.ValidationError for what has another shape, and HistoryError for what is no tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import msgspec

from app.errors import HistoryError
from app.history.interchange import Role, SharedChat, SharedMessage

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_HIDDEN = ("user_editable_context", "model_editable_context")
_MARKS_OF_HIDDEN = ("is_visually_hidden_from_conversation", "is_user_system_message")
_TEXTS = ("text", "multimodal_text")
_SPOKEN = "audio_transcription"


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


def read(found: list[object], most: int) -> tuple[list[SharedChat], int]:
    """Return the chats in which something was said, and how many parts were left out.

    most: characters that the chats may have together.
    """
    conversations = msgspec.convert(found, list[_Conversation])
    chats, n_left_out = [], 0
    for place, conversation in enumerate(conversations):
        reader = _Reader(conversation, f"$[{place}]", most)
        chat = reader.chat()
        most, n_left_out = reader.most, n_left_out + reader.n_left_out
        if chat.messages:
            chats.append(chat)
    return chats, n_left_out


class _Reader:
    """Reads one conversation."""

    def __init__(self, conversation: _Conversation, where: str, most: int) -> None:
        self.most, self.n_left_out = most, 0
        self._conversation, self._where = conversation, where
        self._said: dict[str, _Said] = {}
        self._nearest: dict[str, str | None] = {}

    def chat(self) -> SharedChat:
        """Return it as a chat of ours."""
        for id in self._in_order():
            self._hear(id)
        leaf, it = self._leaf(), self._conversation
        messages, places = self._messages(leaf)
        answered_by = self._said[leaf].model if leaf is not None else ""
        return SharedChat(
            it.title or "",
            messages,
            leaf=msgspec.UNSET if leaf is None else places[leaf],
            created_at=it.create_time,
            updated_at=it.create_time if it.update_time is None else it.update_time,
            pair=answered_by,
        )

    def _in_order(self) -> list[str]:
        """Return the ids of all nodes, parents first and siblings as their parent lists them."""
        mapping = self._conversation.mapping
        below: dict[str | None, list[str]] = {None: []}
        for id, node in mapping.items():
            if node.parent is not None and node.parent not in mapping:
                raise self._wrong(f"mapping has no parent {node.parent!r:.60} for {id!r:.60}")
            below.setdefault(node.parent, []).append(id)
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
            raise self._wrong(f"mapping goes round in a circle at {lost!r:.60}")
        return order

    def _hear(self, id: str) -> None:
        """Note what is said at a node, whose parents are known."""
        node = self._conversation.mapping[id]
        above = None if node.parent is None else self._nearest[node.parent]
        self._nearest[id] = above
        message = node.message
        role = _ROLES.get(message.author.role) if message is not None else None
        if message is None or role is None or _is_hidden(message):
            return
        texts, n_other = _parts(message.content)
        self.n_left_out += n_other
        if role == "assistant" and above is None:  # an answer to nothing has no place here
            self.n_left_out += len(texts)
        elif texts:
            slug = (message.metadata or {}).get("model_slug")
            model = slug if isinstance(slug, str) else ""
            self._said[id] = _Said(role, "\n\n".join(texts), above, message.create_time, model)
            self._nearest[id] = id

    def _leaf(self) -> str | None:
        current = self._conversation.current_node
        if current is None:
            return next(reversed(self._said), None)
        if current not in self._nearest:
            raise self._wrong(f"current_node names {current!r:.60}, which mapping has not")
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
        self.most -= len(text)
        if self.most < 0:
            raise self._wrong("mapping repeats long answers in too many branches")
        return text, above

    def _wrong(self, what: str) -> HistoryError:
        return HistoryError(f"Nothing was imported: {self._where}.{what}.")


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


def _text(part: object) -> object:
    """Return a part's text, be it that of something spoken; None if it has none."""
    if isinstance(part, dict):
        return part.get("text") if part.get("content_type") == _SPOKEN else None
    return part
